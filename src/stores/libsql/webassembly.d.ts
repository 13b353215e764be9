// What is used of the JavaScript API of WebAssembly (W3C), which Node has and its type declarations leave to the browser's.
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module);
    readonly exports: Readonly<Record<string, unknown>>;
  }
  interface Memory {
    readonly buffer: ArrayBuffer;
    /** Throws a RangeError where so many pages cannot be had. */
    grow(pages: number): number;
  }
}
