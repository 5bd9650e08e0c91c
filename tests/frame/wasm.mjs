// Runs kernels that are compiled to WebAssembly, and compares the bytes that they leave in memory.
//
//     node wasm.mjs FOLDER        for test_wasm.c
//
// FOLDER holds a FILE.wasm for each kernel file; `bytes`; and cases.json, a list of
//
//     {file, name, size, before, after,   of memory: its bytes, and where they are in `bytes`
//      constants: [[name, from, size]],   what the module's constants are filled with
//      passes: [[kernel, [columns, rows, width, height],
//                [out, in],               of a filter: struct planes; each pointer is an offset
//                arrays,                  into the memory, and -1 is NULL
//                params, size]]}          in `bytes`
import fs from 'fs';

const folder = process.argv[2], bytes = fs.readFileSync(`${folder}/bytes`);
const PAGE = 65536;
const STRUCTS = {args: 0, out: 64, in: 128, arrays: 192, params: 256};  // before the memory
const modules = {};
let wrong = 0;

// A product of two floats is exact in a double. Of an inexact sum, the odd one of the two doubles
// around it becomes the right float.
const sums = new Float64Array(1), bits = new BigInt64Array(sums.buffer);
function fmaf(a, b, c) {
    const product = a * b, sum = product + c, added = sum - product;
    const rest = product - (sum - added) + (c - added);
    sums[0] = sum;
    if (rest && !(bits[0] & 1n)) bits[0] += rest > 0 === sum > 0 ? 1n : -1n;
    return sums[0];
}

// An instance with room for `size` bytes behind its own.
async function load(file, size) {
    if (!modules[file]) {
        const made = await WebAssembly.compile(fs.readFileSync(`${folder}/${file}.wasm`));
        const env = {};
        for (const {name} of WebAssembly.Module.imports(made))
            env[name] = () => { throw new Error(`${file} calls ${name}`); };
        env.fmaf = fmaf;
        const {exports} = await WebAssembly.instantiate(made, {env});
        modules[file] = {exports, start: exports.memory.buffer.byteLength};
    }
    const {exports, start} = modules[file];
    const less = start + PAGE + size - exports.memory.buffer.byteLength;
    if (less > 0) exports.memory.grow(Math.ceil(less / PAGE));
    return {exports, start, all: new Uint8Array(exports.memory.buffer)};
}

function launch(m, [kernel, [columns, rows, width, height], pictures, arrays, params, size]) {
    const view = new DataView(m.exports.memory.buffer);
    const pointer = (at) => (at < 0 ? 0 : m.start + PAGE + at);
    const put = (to, words) =>
        words.forEach((word, i) => view.setInt32(m.start + to + 4 * i, word, true));
    const at = (name) => m.start + STRUCTS[name];
    pictures.forEach((p, i) => put(i ? STRUCTS.in : STRUCTS.out, [pointer(p[0]), ...p.slice(1)]));
    put(STRUCTS.arrays, arrays.map(pointer));
    m.all.set(bytes.subarray(params, params + size), at('params'));
    const planes = pictures.length ? pictures[0][4] : 1;
    const [scratch, weights] = pictures.length ? arrays.slice(2).map(pointer) : [0, 0];
    put(STRUCTS.args, [at('out'), at('in'), scratch, weights, at('params'), at('arrays')]);
    m.exports.begin_launch(columns, rows, width, height);
    for (let i = 0; i < columns * rows * planes; i++) {
        const row = Math.floor(i / columns);
        m.exports.begin_block(i % columns, row % rows, Math.floor(row / rows));
        m.exports[`launch_${kernel}`](at('args'));
    }
}

for (const c of JSON.parse(fs.readFileSync(`${folder}/cases.json`))) {
    const m = await load(c.file, c.size);
    const memory = m.all.subarray(m.start + PAGE, m.start + PAGE + c.size);
    memory.set(bytes.subarray(c.before, c.before + c.size));
    for (const [name, from, size] of c.constants)
        if (m.exports[name]) m.all.set(memory.slice(from, from + size), m.exports[name].value);
    for (const pass of c.passes) launch(m, pass);
    const at = memory.findIndex((byte, i) => byte !== bytes[c.after + i]);
    if (at < 0) continue;
    const is = memory[at], should = bytes[c.after + at];
    console.log(`WRONG ${c.file} ${c.name}: byte ${at} is ${is}, not ${should}`);
    wrong++;
}
process.exit(wrong ? 1 : 0);
