// Types of the block decoder of seek-bzip, which has no types of its own.
declare module 'seek-bzip' {
  type Input = { readByte: () => number; eof: () => boolean };
  type Output = { writeByte: (byte: number) => void };
  class Stream {
    read(buffer: Uint8Array, offset: number, length: number): number;
  }
  class Bunzip {
    static readonly Stream: typeof Stream;
    readonly reader: { read: (bits: number) => number };
    readonly streamCRC: number;
    constructor(input: Input & Stream, output: Output);
    /** False: the stream ends here. */
    _init_block(): boolean;
    _read_bunzip(): number;
    _start_bunzip(input: Input & Stream, output: Output): void;
  }
  export = Bunzip;
}
