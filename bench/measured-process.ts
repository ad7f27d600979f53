// Runs a process of Node and measures it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Used } from './process-meter.ts';

export type Cost = Used & { readonly wallMs: number };

const METER = new URL('./process-meter.ts', import.meta.url).href;
const UNMETERED: Used = { cpuMs: Number.NaN, peakMb: Number.NaN, files: 0 };

/**
 * Runs `node` with these arguments to its end. `variables`: of its environment, beside those of this process;
 * PROCESS_METER names the file through which it says what it used, and is empty to measure the wall time only.
 */
export async function measured(
  args: readonly string[],
  variables: NodeJS.ProcessEnv & { readonly PROCESS_METER: string },
): Promise<Cost> {
  const { PROCESS_METER: meterFile } = variables;
  const isMetered = meterFile !== '';
  const began = performance.now();
  const child = spawn(process.execPath, [...(isMetered ? ['--import', METER] : []), ...args], {
    env: { ...process.env, ...variables },
    stdio: 'ignore',
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  const wallMs = performance.now() - began;
  if (code !== 0) throw new Error(`exit ${code}: ${args.join(' ')}`);
  return { wallMs, ...(isMetered ? (JSON.parse(readFileSync(meterFile, 'utf8')) as Used) : UNMETERED) };
}
