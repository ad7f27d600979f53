// Writes the sample tape and its scores into this folder: `node examples/make-sample.ts`, in the checkout.
// The bytes are the same every time with the Node that `npm ci` installs; another Node may compress them
// differently.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeSample, packed, scoresText } from './sample-evening.ts';

const sample = makeSample();
const files = { 'sample.ndjson.zst': packed(sample), 'sample-scores.json': scoresText(sample) };
for (const [name, content] of Object.entries(files)) {
  writeFileSync(join(import.meta.dirname, name), content);
  console.log(`${name}: ${content.length.toLocaleString('en')} bytes`);
}
