// Rows of the spec that no test shows, each with the reason. They stand in the table as such; the list is to stay short.
const CASHIER = 'the spec names no endpoint for deposits and redemptions, so there is nothing to ask for';

export const NOT_SHOWN: ReadonlyMap<string, string> = new Map([
  ['Errors · 404: depositRequestId', CASHIER],
  ['Errors · 404: a message such as Redemption request not found.', CASHIER],
  [
    'The family, second reading (part 10): what further programs and the published documents of the family have · subscribe message',
    'it is the client that sends it; the exchange needs none (test/exchange/session.test.ts)',
  ],
]);
