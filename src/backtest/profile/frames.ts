// What a function in a stack is: code of a strategy, a part of this program, a library, Node, or built into V8.
import { OWN_CODE, sourcePlaceOf } from '../../files/index.ts';
import { MARK } from './marked-strategies.ts';

/** A function as the profilers of V8 name it. Lines and columns count from 0. */
export type Frame = {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
};

export type FrameKind =
  /** A file of a strategy's author. */
  | { readonly kind: 'strategy'; readonly url: string }
  | { readonly kind: 'own'; readonly room: string; readonly file: string }
  /** The mark of a strategy. */
  | { readonly kind: 'mark'; readonly strategy: string }
  | { readonly kind: 'library' | 'node' | 'built-in' | 'collector' | 'idle' };

/** `lives`: the suffix of the URLs of strategy files; `entries`: the URLs of strategy files. */
export function kindsOf(lives: string, entries: ReadonlySet<string>): (frame: Frame) => FrameKind {
  const known = new Map<string, FrameKind>();
  return (frame) => {
    const { url, functionName, lineNumber, columnNumber } = frame;
    const key = `${functionName} ${lineNumber}:${columnNumber} ${url}`;
    let kind = known.get(key);
    if (kind === undefined) known.set(key, (kind = kindOf(frame, lives, entries)));
    return kind;
  };
}

function kindOf(frame: Frame, lives: string, entries: ReadonlySet<string>): FrameKind {
  const { functionName: name, url } = frame;
  if (url === '') return { kind: SPECIAL.get(name) ?? 'built-in' };
  if (url.startsWith(MARK)) return { kind: 'mark', strategy: decodeURIComponent(url.slice(MARK.length)) };
  if (url.startsWith('node:')) return { kind: 'node' };
  if (entries.has(url) || (lives !== '' && url.endsWith(lives))) return { kind: 'strategy', url };
  const source = sourcePlaceOf(url, frame.lineNumber, frame.columnNumber)?.url ?? url;
  const path = source.startsWith(PACKAGE) ? source.slice(PACKAGE.length) : undefined;
  if (path === undefined ? source.includes('/node_modules/') : path.startsWith('node_modules/'))
    return { kind: 'library' };
  const [, file] = /^(?:src|dist)\/(.*)$/s.exec(path ?? '') ?? [];
  return file === undefined ? { kind: 'strategy', url } : { kind: 'own', room: file.replace(/\/.*$/s, ''), file };
}

/** The folder of the checkout, or of the installed package, which may lie in a folder of packages. */
const PACKAGE = new URL('../', OWN_CODE).href;

/** Functions without a file. All others are built into V8. */
const SPECIAL: ReadonlyMap<string, 'collector' | 'idle' | 'node'> = new Map([
  ['(garbage collector)', 'collector'],
  ['(idle)', 'idle'],
  ['(root)', 'idle'],
  ['(program)', 'node'],
]);
