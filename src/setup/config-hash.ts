import { createHash } from 'node:crypto';
import type { LoadedConfig } from '../config/index.ts';
import { redactedConfig } from '../config/index.ts';

/** Hash of the effective configuration without secrets, 12 hex digits. */
export const configHash = ({ config }: Pick<LoadedConfig, 'config'>): string =>
  createHash('sha256')
    .update(JSON.stringify(redactedConfig(config)))
    .digest('hex')
    .slice(0, 12);
