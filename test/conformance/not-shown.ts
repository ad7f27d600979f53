// Rows of the spec that no test shows, each with the reason. They stand in the table as such; the list is to stay short.
const CASHIER = 'the spec names no endpoint for deposits and redemptions, so there is nothing to ask for';

export const NOT_SHOWN: ReadonlyMap<string, string> = new Map([
  ['Errors · 404: depositRequestId', CASHIER],
  ['Errors · 404: a message such as Redemption request not found.', CASHIER],
]);
