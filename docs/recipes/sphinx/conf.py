# Where the calculator is. On another server: its whole address.
SHARDWISE = "/shardwise"

project = "Training notes"
html_title = project
html_theme = "alabaster"
# The figures: links to the calculator that become the calculator.
html_js_files = [(SHARDWISE + "/static/embed.js", {"defer": "defer"})]
exclude_patterns = ["README.md"]
# A copy of the sources is of no use here.
html_copy_source = False
