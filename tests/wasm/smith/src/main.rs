// SPDX-License-Identifier: Apache-2.0
// smith SEED COUNT DIR: writes COUNT modules to DIR, as NUMBER-KIND.wasm, the same ones each time. Four are of one
// origin: "valid" as wasm-smith made it, "same" and "other" as wasm-mutate changed it (without and with its meaning),
// and "broken", one of the three with wrong bytes. Every eighth origin is a component.
use arbitrary::Unstructured;
use std::{env, fs, panic, path::Path, process, sync::Arc};
use wasm_encoder::{ExportKind, ExportSection, FunctionSection, MemorySection, MemoryType, TypeSection, ValType};

const MOST: usize = 64 << 10; // bytes of a module
const TRIES: usize = 30;

/// SplitMix64: numbers that no version of a crate changes.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| self.next() as u8).collect()
    }
}

/// What wasm-smith or wasm-mutate cannot do they say by an error or a panic.
fn tried<T>(f: impl FnOnce() -> Option<T>) -> Option<T> {
    panic::catch_unwind(panic::AssertUnwindSafe(f)).ok().flatten()
}

/// What a program of WASI exports.
fn program_exports() -> Vec<u8> {
    let mut types = TypeSection::new();
    types.ty().function([], []);
    let mut functions = FunctionSection::new();
    functions.function(0);
    let mut memories = MemorySection::new();
    memories.memory(MemoryType { minimum: 1, maximum: None, memory64: false, shared: false, page_size_log2: None });
    let mut exports = ExportSection::new();
    exports.export("memory", ExportKind::Memory, 0).export("_start", ExportKind::Func, 0);
    let mut code = wasm_encoder::CodeSection::new();
    let mut body = wasm_encoder::Function::new([]);
    body.instructions().end();
    code.function(&body);
    let mut module = wasm_encoder::Module::new();
    module.section(&types).section(&functions).section(&memories).section(&exports).section(&code);
    module.finish()
}

/// Functions of WASI that do not wait for anything.
fn program_imports() -> Vec<u8> {
    use ValType::{I32, I64};
    let list: [(&str, &[ValType]); 12] = [
        ("args_get", &[I32, I32]),
        ("environ_sizes_get", &[I32, I32]),
        ("clock_time_get", &[I32, I64, I32]),
        ("fd_close", &[I32]),
        ("fd_filestat_get", &[I32, I32]),
        ("fd_prestat_get", &[I32, I32]),
        ("fd_read", &[I32, I32, I32, I32]),
        ("fd_readdir", &[I32, I32, I32, I64, I32]),
        ("fd_seek", &[I32, I64, I32, I32]),
        ("fd_write", &[I32, I32, I32, I32]),
        ("path_open", &[I32, I32, I32, I32, I32, I64, I64, I32, I32]),
        ("random_get", &[I32, I32]),
    ];
    let mut types = TypeSection::new();
    let mut imports = wasm_encoder::ImportSection::new();
    for (i, (name, words)) in list.iter().enumerate() {
        types.ty().function(words.iter().copied(), [I32]);
        imports.import("wasi_snapshot_preview1", name, wasm_encoder::EntityType::Function(i as u32));
    }
    types.ty().function([I32], []);
    imports.import("wasi_snapshot_preview1", "proc_exit", wasm_encoder::EntityType::Function(list.len() as u32));
    let mut module = wasm_encoder::Module::new();
    module.section(&types).section(&imports);
    module.finish()
}

/// Of any size and with any proposal; what begins as a program is small, and one in four has nothing that aisbx leaves out.
fn config(r: &mut Random) -> wasm_smith::Config {
    let is_program = !r.one_in(3);
    let is_plain = is_program && !r.one_in(4);
    let few = [0, 1, 3, 10, 40];
    let some = |r: &mut Random| few[r.below(few.len())];
    let mut c = wasm_smith::Config {
        max_imports: some(r),
        max_funcs: 1 + some(r),
        max_globals: some(r),
        max_types: 4 + some(r),
        max_exports: some(r),
        max_data_segments: some(r),
        max_element_segments: some(r),
        max_elements: some(r),
        max_tags: some(r),
        max_instructions: [5, 30, 100, 300][r.below(4)],
        max_memories: [1, 1, 2, 5][r.below(4)],
        max_tables: [0, 1, 1, 4][r.below(4)],
        max_modules: 2,
        max_components: 2,
        max_instances: 4,
        max_nesting_depth: 3,
        max_type_size: 100,
        max_table_elements: 10_000,
        max_memory32_bytes: if r.one_in(4) { 1 << 32 } else { 16 << 20 },
        min_uleb_size: [1, 1, 1, 5][r.below(4)],
        allow_start_export: r.one_in(2),
        allow_floats: !r.one_in(4),
        disallow_traps: r.one_in(4),
        export_everything: r.one_in(4),
        generate_custom_sections: r.one_in(2),
        memory_max_size_required: r.one_in(4),
        memory64_enabled: r.one_in(3),
        bulk_memory_enabled: !r.one_in(4),
        reference_types_enabled: !r.one_in(4),
        simd_enabled: !r.one_in(4),
        relaxed_simd_enabled: r.one_in(2),
        tail_call_enabled: r.one_in(2),
        gc_enabled: r.one_in(3),
        exceptions_enabled: r.one_in(3),
        extended_const_enabled: r.one_in(2),
        threads_enabled: !is_plain && r.one_in(2),
        shared_everything_threads_enabled: !is_plain && r.one_in(6),
        wide_arithmetic_enabled: !is_plain && r.one_in(3),
        custom_page_sizes_enabled: !is_plain && r.one_in(3),
        custom_descriptors_enabled: !is_plain && r.one_in(6),
        compact_imports_enabled: !is_plain && r.one_in(3),
        acquire_release_atomics_enabled: !is_plain && r.one_in(6),
        multibyte_array_access_enabled: !is_plain && r.one_in(6),
        allow_invalid_funcs: !is_plain && r.one_in(6),
        ..Default::default()
    };
    // Without a least number random bytes make few of anything. Of types there is none: it may never get there.
    if r.one_in(2) {
        let [funcs, globals] = [c.max_funcs, c.max_globals].map(|most| r.below(most));
        let [data, elements, tables, memories] =
            [c.max_data_segments / 4, c.max_element_segments / 4, c.max_tables, c.max_memories].map(|most| r.below(most + 1));
        (c.min_funcs, c.min_globals) = (funcs, globals);
        (c.min_data_segments, c.min_element_segments) = (data, elements);
        (c.min_tables, c.min_memories) = (tables as u32, memories as u32);
    }
    if is_program {
        c.max_imports = c.max_imports.min(5);
        c.exports = Some(program_exports());
        c.available_imports = Some(program_imports());
    }
    c
}

fn valid(r: &mut Random, is_component: bool) -> Vec<u8> {
    for _ in 0..TRIES {
        let config = config(r);
        let room = 1 << (6 + r.below(10));
        let bytes = r.bytes(room);
        let made = tried(|| {
            let mut u = Unstructured::new(&bytes);
            if is_component {
                let config = wasm_smith::Config { exports: None, available_imports: None, ..config };
                wasm_smith::Component::new(config, &mut u).ok().map(|c| c.to_bytes())
            } else {
                wasm_smith::Module::new(config, &mut u).ok().map(|m| m.to_bytes())
            }
        });
        match made {
            Some(made) if made.len() <= MOST => return made,
            _ => continue,
        }
    }
    b"\0asm\x01\0\0\0".to_vec()
}

/// A few changes one after the other; of a component wasm-mutate knows none.
fn mutant(r: &mut Random, of: &[u8], same: bool) -> Vec<u8> {
    let mut now = of.to_vec();
    let mut left = 1 + r.below(3);
    for _ in 0..TRIES {
        if left == 0 || now[4..8] != *b"\x01\0\0\0" {
            break;
        }
        let seed = r.next();
        let next = tried(|| {
            let mut m = wasm_mutate::WasmMutate::default();
            m.seed(seed).fuel(300).preserve_semantics(same);
            m.raw_mutate_func(Some(Arc::new(move |data: &mut Vec<u8>, _| {
                let mut r = Random(seed);
                let at = r.below(data.len() + 1);
                let (gone, new) = (r.below(9).min(data.len() - at), r.below(9));
                data.splice(at..at + gone, r.bytes(new));
                Ok(())
            })));
            let next = m.run(&now).ok()?.next()?.ok();
            next
        });
        match next {
            Some(next) if next.len() <= MOST && next != now => (now, left) = (next, left - 1),
            _ => continue,
        }
    }
    now
}

/// Wrong bits, bytes and numbers, pieces that are gone, twice there or elsewhere; often a whole section of another module.
fn broken(r: &mut Random, of: &[u8], other: &[u8]) -> Vec<u8> {
    const ODD: [u8; 8] = [0, 1, 0x0b, 0x40, 0x7f, 0x80, 0xfe, 0xff];
    let mut now = of.to_vec();
    let changes = [1, 1, 2, 4][r.below(4)];
    for _ in 0..changes {
        // The beginning is left alone mostly: without it nothing is read.
        let first = if r.one_in(20) { 0 } else { 8.min(now.len()) };
        let at = first + r.below(now.len() - first);
        let len = (1 << r.below(8)).min(now.len() - at);
        match r.below(8) {
            0 if at < now.len() => now[at] ^= 1 << r.below(8),
            1 if at < now.len() => now[at] = ODD[r.below(ODD.len())],
            2 => now.truncate(at),
            3 => drop(now.drain(at..at + len)),
            4 => {
                let piece = now[at..at + len].to_vec();
                now.splice(at..at, piece);
            }
            5 => {
                let from = r.below(other.len());
                let piece = &other[from..(from + len).min(other.len())];
                now.splice(at..at, piece.iter().copied());
            }
            6 => drop(now.splice(at..at, [0xff, 0xff, 0xff, 0xff, [0x0f, 0x7f, 0xff][r.below(3)]])),
            _ => now.splice(at..at + len, r.bytes(len)).for_each(drop),
        }
    }
    now.truncate(MOST);
    now
}

/// The four of one origin depend on nothing but this number and the seed.
fn family(seed: u64, origin: u64) -> [(&'static str, Vec<u8>); 4] {
    let mut r = Random(seed ^ origin.wrapping_mul(0xd134_2543_de82_ef95));
    r.next();
    let first = valid(&mut r, origin % 8 == 7);
    let same = mutant(&mut r, &first, true);
    let other = mutant(&mut r, &first, false);
    let of = [&first, &same, &other][r.below(3)].clone();
    let wrong = broken(&mut r, &of, &other);
    [("valid", first), ("same", same), ("other", other), ("broken", wrong)]
}

fn run(words: &[String]) -> Result<(), String> {
    let [seed, count, folder] = words else {
        return Err("usage: smith SEED COUNT DIR".into());
    };
    let seed: u64 = seed.parse().map_err(|_| "SEED is no number")?;
    let count: u64 = count.parse().map_err(|_| "COUNT is no number")?;
    fs::create_dir_all(folder).map_err(|e| format!("{folder}: {e}"))?;
    for origin in 0..count.div_ceil(4) {
        for (i, (kind, bytes)) in (origin * 4..count).zip(family(seed, origin)) {
            let path = Path::new(folder).join(format!("{i:06}-{kind}.wasm"));
            fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))?;
        }
    }
    Ok(())
}

fn main() {
    panic::set_hook(Box::new(|_| {}));
    let words: Vec<String> = env::args().skip(1).collect();
    if let Err(why) = run(&words) {
        eprintln!("smith: {why}");
        process::exit(1);
    }
}
