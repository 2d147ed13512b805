// Where the calculator is. On another server: its whole address.
const shardwise = "/shardwise";

export default {
  title: "Training notes",
  base: "/vitepress/",
  srcExclude: ["README.md"],
  // The figures: links to the calculator that become the calculator.
  head: [["script", { src: `${shardwise}/static/embed.js`, defer: "" }]],
  themeConfig: {
    sidebar: [
      { text: "Network", link: "/" },
      { text: "Memory", link: "/memory" },
    ],
  },
};
