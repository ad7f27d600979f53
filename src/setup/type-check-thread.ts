// Runs the type checker in a thread, because it takes longer than a trading bot may wait.
import { parentPort, workerData } from 'node:worker_threads';
import { TypeChecker } from './type-check.ts';

const checker = new TypeChecker((workerData as { readonly beside: string }).beside);
parentPort?.on('message', (files: readonly string[]) => parentPort?.postMessage(checker.check(files)));
