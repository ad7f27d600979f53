// The messages of the bot's stream (docs/reference/page-stream.md), in the server's types, and their form in
// a client.
import type { RowChanges } from '../../src/page/changes.ts';
import type { Past as PastRun } from '../../src/page/frame-file.ts';
import type { ExternalRow, MarketView, NowView, OrderRow, PageState } from '../../src/page/state.ts';

export type {
  AlertRow as Alert,
  AttributionView as Attribution,
  FeedView as Feed,
  FiguresView as Figures,
  FillRowView as Fill,
  GamePictureView as GamePicture,
  GameRowView as Game,
  LadderRowView as LadderRow,
  LogRow as LogLine,
  MarketRowView as Market,
  MarketView as OneMarket,
  NowView as Now,
  OwnView as Own,
  PageState as Snapshot,
  ParamView as Param,
  PhaseFiguresView as PhaseFigures,
  PlaceView as Place,
  Point,
  SelectView as Select,
  SlotView as Slot,
  StrategyRow as Strategy,
  TotalsView as Totals,
} from '../../src/page/state.ts';

export type PhaseTotals = NowView['phases'][keyof NowView['phases']];
export type Order = ExternalRow & Partial<OrderRow>;

export type Rows<T> = Readonly<Record<string, T>>;
export type Sections = Omit<PageState, 'seq' | 't' | 'now'>;
export type Change = { readonly seq: number; readonly t: number; readonly now?: Partial<NowView> } & {
  readonly [K in keyof Sections]?: RowChanges;
};
export type MarketChange = Pick<MarketView, 'id' | 'path'> &
  Partial<Pick<MarketView, 'ladder'>> & { readonly isNew: boolean };

/** The recorded data of a past run (`oddsmaker view`). */
export type Past = PastRun & { readonly journal: string };
/** One frame of a past run, with the times of the frames before and after it. */
export type Frame = {
  readonly state: PageState;
  readonly market: MarketView | null;
  readonly before: number | null;
  readonly after: number | null;
};

export type Hello = { readonly role: 'control' | 'view'; readonly everyMs: number };
