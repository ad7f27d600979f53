// Where the code of this program lies: TypeScript files in a checkout, a bundle of JavaScript in the package.
import { fileURLToPath } from 'node:url';

/** Whether the code runs from the sources of a checkout, not from the bundle of the package. */
export const isSource = import.meta.url.endsWith('.ts');

/** URL of the folder of all own code: `src/` in a checkout, `dist/` in a package. */
export const OWN_CODE = new URL('../', import.meta.url).href;

/** Folder of the checkout or of the installed package. */
export const ROOT = fileURLToPath(new URL('../', OWN_CODE));

/**
 * URL of a module that is not imported by the code, such as the entry file of a thread.
 * @param name its path in the own code, without an ending: `ledger/thread`
 */
export const ownModule = (name: string): URL => new URL(`${name}.${isSource ? 'ts' : 'js'}`, OWN_CODE);
