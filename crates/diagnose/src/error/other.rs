//! Errors neither of memory nor of NCCL, of which nothing follows for a run's memory.

/// Ends of the names of exceptions.
const ENDS: [&str; 4] = ["Error", "Exception", "Interrupt", "Failure"];
/// Exceptions of launchers, which say only that a process ended.
const LAUNCHERS: [&str; 5] =
    ["ChildFailedError", "CalledProcessError", "RayTaskError", "ActorDiedError", "ProcessRaisedException"];
/// Most characters of an error that are quoted.
const QUOTED: usize = 200;

/// Substrings of errors with their usual cause. Errors that Python does not print are known by
/// these alone.
const CAUSES: [(&str, &str); 18] = [
    (
        "illegal memory access",
        "A kernel reached outside its memory: as a rule a fault of a kernel or of its inputs, not too little memory. \
         CUDA_LAUNCH_BLOCKING=1 names the call; a newer flash-attn, bitsandbytes, Triton or PyTorch may have it mended.",
    ),
    (
        "device-side assert triggered",
        "A check inside a kernel failed: usually an index out of range, such as a token beyond the vocabulary or a wrong \
         label. CUDA_LAUNCH_BLOCKING=1, or one step on the CPU, names the call.",
    ),
    (
        "invalid configuration argument",
        "CUDA refused to start a kernel with these sizes: usually a tensor is empty (as a shard of ZeRO-3 is elsewhere) or \
         too large for the kernel.",
    ),
    (
        "uncorrectable ECC error",
        "The GPU's memory has a fault (cudaErrorECCUncorrectable): reset the GPU or take another node; if it comes back, \
         the card is broken.",
    ),
    (
        "Address already in use",
        "The port of the rendezvous is taken: another run is on this machine, or one did not end. Give another one \
         (--master_port, --rdzv_endpoint=localhost:0).",
    ),
    ("DUE TO TIME LIMIT", "Slurm ended the job at its time limit (--time): the run itself did not fail."),
    (
        "call hccl api failed",
        "HCCL, Ascend's NCCL, failed: look at the lines with EI or EJ below it, and for a process of an earlier run that \
         still holds the NPUs.",
    ),
    (
        "size mismatch for",
        "The checkpoint has other shapes than the model: it is of another model, or the vocabulary was resized in one \
         of them.",
    ),
    ("not divisible by", "Sizes of the batch or of the layout do not divide: one of the numbers named has to change."),
    (
        "no kernel image is available",
        "This build of PyTorch or of a library has no kernels for this GPU: install one that is built for it.",
    ),
    (
        "CUDA Setup failed despite GPU being available",
        "bitsandbytes found no library for this version of CUDA: `python -m bitsandbytes` says which it looks for.",
    ),
    (
        "Expected all tensors to be on the same device",
        "Parts of the model or of the batch lie on different devices: a device_map or a missing `.to(device)`.",
    ),
    ("Segmentation fault", SEGFAULT),
    ("SIGSEGV", SEGFAULT),
    ("return code = -11", SEGFAULT),
    ("exitcode: -11", SEGFAULT),
    ("return code = -7", BUS),
    ("exitcode: -7", BUS),
];
/// Substrings by which a launcher says only that a process ended.
const ENDED: [&str; 5] = [
    "ChildFailedError",
    "CalledProcessError",
    "exits with return code = ",
    "A worker died or was killed",
    "ActorDiedError",
];
const SEGFAULT: &str = "The process crashed (signal 11), usually in a compiled library that does not fit the versions of \
                        PyTorch, CUDA or the driver.";
const BUS: &str = "Signal 7 (bus error) ended the process: usually the container's /dev/shm is too small (--shm-size, \
                   --ipc=host). The GPU's memory is not the cause.";

/// Returns a sentence about an error that is neither of memory nor of NCCL; `None` if the text has
/// no error.
pub fn other(text: &str) -> Option<String> {
    let last = last_exception(text);
    let cause = CAUSES.iter().find(|(mark, _)| text.contains(mark)).filter(|(mark, _)| match last {
        // Words of prose are no error, unless a line of them says so.
        None => line_with(text, mark).is_some_and(is_crash),
        Some(_) => true,
    });
    // The launcher's line says nothing of the cause where the process's own error is missing.
    let ended = ENDED.iter().find(|mark| last.as_deref().unwrap_or(text).contains(**mark));
    let mark = cause.map(|(mark, _)| *mark).or(ended.copied());
    let quoted = shorten(last.as_deref().or_else(|| line_with(text, mark?))?);
    // A text that speaks of memory may mean it.
    let about = text.to_ascii_lowercase();
    let end = match cause {
        Some((_, said)) => format!("{said} It is neither a lack of memory nor an error of NCCL, so no verdict follows from it."),
        None if ended.is_some() => "It says only that a process ended, and not why: the process's own error is \
                                    before it. No verdict follows from it."
            .to_owned(),
        None if ["memory", "oom", "vram"].iter().any(|word| about.contains(word)) => {
            "It is none of the errors of memory that are known here, and whether memory was the cause it does not say, so \
             no verdict follows from it."
                .to_owned()
        }
        None => "It is neither a lack of memory nor an error of NCCL, so no verdict follows from it.".to_owned(),
    };
    Some(format!("This is an error: “{quoted}”. {end}"))
}

/// Whether a line is one that a program prints when it ends, and not prose.
fn is_crash(line: &str) -> bool {
    let line = without_prefix(line);
    ["Error ", "CUDA error", "what():", "Segmentation fault"].iter().any(|start| line.starts_with(start))
        || ["(core dumped)", "CANCELLED AT", "call hccl api failed", "(SIGSEGV)", "return code = -", "exitcode: -"]
            .iter()
            .any(|part| line.contains(part))
}

fn line_with<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    text.lines().find(|line| line.contains(mark)).map(str::trim)
}

/// Returns the last exception, of a launcher's only if there is no other; a line that ends in a
/// colon goes on with the next.
fn last_exception(text: &str) -> Option<String> {
    let has_traceback = text.contains("Traceback (most recent call last)");
    let lines: Vec<&str> = text.lines().map(without_prefix).collect();
    let found = lines.iter().enumerate().filter(|(_, line)| is_exception(line, has_traceback));
    let (of_launchers, own): (Vec<_>, Vec<_>) =
        found.partition(|(_, line)| LAUNCHERS.iter().any(|name| name_of(line).contains(name)));
    let (at, line) = own.last().or(of_launchers.last())?;
    let next = lines.get(at + 1..)?.iter().find(|line| !line.is_empty()).filter(|_| line.ends_with(':'));
    Some(next.map_or_else(|| (*line).to_string(), |next| format!("{line} {next}")))
}

/// Returns the name before the colon of a line, or the whole line.
fn name_of(line: &str) -> &str {
    line.split_once(':').map_or(line, |(name, _)| name).trim()
}

/// Whether a line is an exception as Python prints it: `torch.AcceleratorError: CUDA error`.
fn is_exception(line: &str, has_traceback: bool) -> bool {
    let name = name_of(line);
    let last = name.rsplit('.').next().unwrap_or(name);
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    let is_said = line.contains(": ") || line.ends_with(':') || has_traceback;
    is_name
        && is_said
        && last.starts_with(|first: char| first.is_ascii_uppercase())
        && ENDS.iter().any(|end| last.ends_with(end))
}

/// Returns a line without what launchers and loggers write before it: `[rank0]: `,
/// `(Worker pid=1) `, `ERROR 06-28 06:11:45 [core.py:387] `, `stderr: `.
fn without_prefix(line: &str) -> &str {
    let mut rest = line.trim();
    loop {
        let next = if let Some(inside) = rest.strip_prefix('[') {
            inside.split_once(']').map(|(_, after)| after.trim_start_matches(':'))
        } else if let Some(inside) = rest.strip_prefix('(') {
            inside.split_once(')').map(|(_, after)| after)
        } else if rest.starts_with("ERROR ") {
            rest.split_once("] ").map(|(_, after)| after)
        } else {
            ["stderr:", "E  "].iter().find_map(|start| rest.strip_prefix(start))
        };
        match next {
            Some(next) if next.len() < rest.len() => rest = next.trim_start(),
            _ => return rest,
        }
    }
}

/// Returns a line without more than is quoted.
fn shorten(line: &str) -> String {
    let line = line.trim();
    match line.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or(line).trim_end()),
        None => line.trim_end_matches('.').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_exception_is_quoted_without_its_launchers() {
        let text = "[rank3]: Traceback (most recent call last):\n[rank3]:   File \"a.py\", line 1\n\
                    [rank3]: torch.AcceleratorError: CUDA error: an illegal memory access was encountered\n\
                    torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \ntrain.py FAILED\n";
        let said = other(text).unwrap();
        assert!(said.starts_with("This is an error: “torch.AcceleratorError: CUDA error: an illegal"), "{said}");
        assert!(said.contains("neither a lack of memory"), "{said}");
    }

    #[test]
    fn what_speaks_of_memory_is_not_called_another_matter() {
        let said = other("ValueError: the buffer needs more memory than the pool has").unwrap();
        assert!(said.contains("does not say"), "{said}");
    }

    #[test]
    fn prose_and_configurations_are_no_errors() {
        for text in [
            "llama 3.1 8b on 8 h100, no errors please",
            "except ValueError: pass",
            "on_error: stop\nvalue: 3",
            "I had an illegal memory access and batch 8 is not divisible by 3",
            "MaxError = 3",
            "the step ends with a ValueError: how so",
            "",
        ] {
            assert_eq!(other(text), None, "{text}");
        }
    }
}
