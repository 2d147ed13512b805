
// The rest of the module (xtask/src/site/split.rs): after the first picture, or at once where it is called before that.
const restAt = new URL("{rest}", import.meta.url);
let restIsHere = false;

function restAtOnce() {
    if (restIsHere) return;
    const request = new XMLHttpRequest();
    request.open("GET", restAt, false);
    request.overrideMimeType("text/plain; charset=x-user-defined");
    request.send();
    if (request.status !== 200) throw new Error("The rest of the calculator could not be loaded.");
    const bytes = Uint8Array.from(request.responseText, (letter) => letter.charCodeAt(0));
    new WebAssembly.Instance(new WebAssembly.Module(bytes), { a: wasm });
    restIsHere = true;
}

async function rest() {
    const response = await fetch(restAt, { priority: "low" });
    if (!response.ok) throw new Error("The rest of the calculator could not be loaded.");
    const module = await WebAssembly.compile(await response.arrayBuffer());
    if (restIsHere) return;
    await WebAssembly.instantiate(module, { a: wasm });
    restIsHere = true;
}

export { rest };
