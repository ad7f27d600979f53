// The type checker beside a bot that trades: in a thread, since it takes longer than a bot may wait.
import { parentPort, workerData } from 'node:worker_threads';
import { TypeChecker } from './type-check.ts';

const checker = new TypeChecker((workerData as { readonly beside: string }).beside);
parentPort?.on('message', (files: readonly string[]) => parentPort?.postMessage(checker.check(files)));
