// Types of the functions used from the headers of tar-stream: its own types cover only its streams.
declare module 'tar-stream/headers.js' {
  type Header = { readonly name: string; readonly size: number; readonly type: string | null };
  /** Null: an empty block. @throws Error where the checksum is wrong */
  export function decode(block: Uint8Array, encoding: string, allowUnknown: boolean): Header | null;
  export function decodeLongPath(bytes: Uint8Array, encoding: string): string;
  export function decodePax(bytes: Uint8Array): Readonly<Record<string, string | undefined>>;
}
