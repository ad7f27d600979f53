// The contract suite of the paper exchange. It runs every test over both transports and then compares
// docs/reference/conformance, which names for every row of the spec the tests that show it. `vitest run
// test/conformance -u` rewrites these pages.
import { describe, expect, it } from 'vitest';
import { TestVenue, QUIET_WORLD } from './kit.ts';
import { NOT_SHOWN } from './not-shown.ts';
import { keyOf, readSpec, specIsHere } from './rows.ts';
import type { RowTest } from './section.ts';
import { booksSection } from './sections/books.ts';
import { loginSection } from './sections/login.ts';
import { cancelSection } from './sections/cancel.ts';
import { editSection } from './sections/edit.ts';
import { errorsSection } from './sections/errors.ts';
import { familyAccountSection } from './sections/family-account.ts';
import { familyBooksSection } from './sections/family-books.ts';
import { familyClientsSection } from './sections/family-clients.ts';
import { familyOrdersSection } from './sections/family-orders.ts';
import { familySecondSection } from './sections/family-second.ts';
import { feedsSection } from './sections/feeds.ts';
import { gamesSection } from './sections/games.ts';
import { limitsSection } from './sections/limits.ts';
import { lookupsSection } from './sections/lookups.ts';
import { modesSection } from './sections/modes.ts';
import { placeSection } from './sections/place.ts';
import { requestsSection } from './sections/requests.ts';
import { gapsOf, pagesOf } from './table.ts';
import type { Over, Transport } from './transport.ts';
import { WAYS } from './transport.ts';
import { openInProcess } from './transports/in-process.ts';
import { openSockets } from './transports/sockets.ts';

const ROW_TESTS: readonly RowTest[] = [
  loginSection,
  modesSection,
  booksSection,
  lookupsSection,
  placeSection,
  requestsSection,
  editSection,
  cancelSection,
  limitsSection,
  feedsSection,
  gamesSection,
  errorsSection,
  familyBooksSection,
  familyOrdersSection,
  familyAccountSection,
  familyClientsSection,
  familySecondSection,
].flat();

const passed = new Map<RowTest, Set<Over>>(ROW_TESTS.map((rowTest) => [rowTest, new Set()]));

const open = (over: Over, { world }: RowTest): Promise<Transport> => {
  const options = { ...QUIET_WORLD, ...world };
  return over === 'sockets' ? openSockets(options) : Promise.resolve(openInProcess(options));
};

describe.each(WAYS)('the paper exchange (%s)', (over) => {
  for (const name of new Set(ROW_TESTS.map(({ section }) => section))) {
    describe(name, () => {
      for (const rowTest of ROW_TESTS.filter((rowTest) => rowTest.section === name && rowTest.over.includes(over))) {
        it(rowTest.title, async () => {
          const transport = await open(over, rowTest);
          try {
            await rowTest.run(await TestVenue.open(transport));
          } finally {
            await transport.close();
          }
          passed.get(rowTest)?.add(over);
        });
      }
    });
  }
});

describe('the conformance table', () => {
  it('gives every test a unique title', () => {
    const titles = ROW_TESTS.map(({ section, title }) => `${section}: ${title}`);
    expect(titles).toEqual([...new Set(titles)]);
  });

  it.skipIf(!specIsHere())(
    'has a passing test for every row of ../shared/spec and equals the pages of docs/reference',
    async () => {
      const rows = readSpec();
      expect(new Set(rows.map(keyOf)).size).toBe(rows.length);
      expect(gapsOf(rows, ROW_TESTS, passed, NOT_SHOWN)).toEqual({ withoutTest: [], noSuchRow: [] });
      for (const [name, text] of pagesOf(rows, ROW_TESTS, passed, NOT_SHOWN))
        await expect(text).toMatchFileSnapshot(`../../docs/reference/${name}`);
    },
  );
});
