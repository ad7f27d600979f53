// `POST /session/cancelMultiple` and related calls: ids in, one positional result each. Never sent with an
// empty list.
import type { CancelResult, OrderId, Result } from '../domain/index.ts';
import { bad, microsOfDollars, ok } from '../domain/index.ts';
import type { Json } from './json.ts';
import { dataOf, listOf, readAmount, readText, recordOf } from './json.ts';
import type { WireProfile } from './profile.ts';

export const encodeCancelMultiple = (orderIds: readonly OrderId[], profile: WireProfile): Json => ({
  [profile.cancelIdsField]: orderIds,
});

export function parseCancelReply(body: unknown, count: number): Result<readonly CancelResult[]> {
  const rows = listOf(dataOf(body));
  if (rows === undefined) return bad('data is not an array');
  if (rows.length !== count) return bad(`${rows.length} results for ${count} ids`);
  return ok(
    rows.map((row) => {
      const json = recordOf(row);
      const filled = readAmount(json?.['filled']);
      return {
        orderId: readText(json?.['sessionID']) as OrderId | undefined,
        success: json?.['success'] === true,
        filled: filled === undefined ? undefined : microsOfDollars(filled),
        reason: readText(json?.['reason']) ?? readText(json?.['error']),
      };
    }),
  );
}
