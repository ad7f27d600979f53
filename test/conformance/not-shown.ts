// Rows of the spec that no test shows, each with the reason, which the conformance pages print. The list
// should stay short.
const CASHIER = 'the spec names no endpoint for deposits and redemptions, so no test can request it';

export const NOT_SHOWN: ReadonlyMap<string, string> = new Map([
  ['Errors · 404: depositRequestId', CASHIER],
  ['Errors · 404: a message such as Redemption request not found.', CASHIER],
  [
    'The family, second reading (part 10): what further programs and the published documents of the family have · subscribe message',
    'the client sends this message; the exchange does not need it (test/exchange/session.test.ts)',
  ],
]);
