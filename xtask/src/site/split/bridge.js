
// The rest of the module (xtask/src/site/split.rs): after the first picture, or at once where it is called before that.
const restAt = new URL("{rest}", import.meta.url);
let restModule, restIsHere = false, restArrives;
const restArrival = new Promise((done) => { restArrives = done; });

function restAtOnce() {
    if (restIsHere) return;
    if (!restModule) {
        const request = new XMLHttpRequest();
        request.open("GET", restAt, false);
        request.overrideMimeType("text/plain; charset=x-user-defined");
        request.send();
        if (request.status !== 200) throw new Error("The rest of the calculator could not be loaded.");
        restModule = new WebAssembly.Module(Uint8Array.from(request.responseText, (letter) => letter.charCodeAt(0)));
    }
    new WebAssembly.Instance(restModule, { a: wasm });
    restIsHere = true;
    restArrives();
}

async function restEarly(priority) {
    const response = await fetch(restAt, { priority });
    if (!response.ok) throw new Error("The rest of the calculator could not be loaded.");
    restModule ??= await WebAssembly.compile(await response.arrayBuffer());
}

async function rest() {
    // Whichever is first: this, or a call that could not wait.
    if (!restModule) await Promise.race([restEarly("low"), restArrival]);
    restAtOnce();
}

export { rest, restEarly };
