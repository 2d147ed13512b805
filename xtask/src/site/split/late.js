
// The late half of the module: what the first screen does not need (xtask/src/site/split.rs). The first half calls `load` where
// it needs the late half and does not have it: everything then waits.
const LATE = new URL("{late}", import.meta.url);
let lateModule, lateFetched;

/** What the late half imports. */
const first = () => ({ first: wasm });

/** The bytes of the late half, at once; a window gets no answer but text that way. */
function lateBytes() {
  const request = new XMLHttpRequest();
  request.open("GET", LATE, false);
  request.overrideMimeType("text/plain; charset=x-user-defined");
  request.send();
  if (request.status !== 200) throw new Error(`${request.status} ${LATE}`);
  return Uint8Array.from(request.responseText, (letter) => letter.charCodeAt(0));
}

const late = {
  load() {
    try {
      // Its functions go into the table of the first half, its constants into the memory.
      new WebAssembly.Instance(lateModule ?? new WebAssembly.Module(lateBytes()), first());
      wasm.late.value = 1;
    } catch (cause) {
      globalThis.window?.dispatchEvent(new CustomEvent("shardwise:incomplete"));
      throw cause;
    }
  },
};

/** Fetches the late half, and gives it to the first if that runs. */
export async function fetchLate() {
  lateFetched ??= fetch(LATE).then(async (answer) => {
    if (!answer.ok) throw new Error(`${answer.status} ${answer.url}`);
    const isWasm = answer.headers.get("Content-Type") === "application/wasm";
    return isWasm ? WebAssembly.compileStreaming(answer) : WebAssembly.compile(await answer.arrayBuffer());
  }).catch((cause) => {
    lateFetched = undefined;
    throw cause;
  });
  lateModule = await lateFetched;
  if (wasm && !wasm.late.value) {
    await WebAssembly.instantiate(lateModule, first());
    wasm.late.value = 1;
  }
}
