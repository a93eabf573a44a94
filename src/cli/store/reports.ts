import { moneyWords } from '#kernel/money-words.ts';
import { timeAt } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { type Answer, loadStoreApi } from './twin.ts';

const twins = async () => (await import('#storefront/tools/reports/endpoints.store.ts')).reportEndpoints;

/** A row of the report of sales. */
interface SalesRow {
  readonly period: string;
  readonly orders: number;
  readonly units: number;
  readonly gross_cents: number;
  readonly discount_cents: number;
  readonly shipping_cents: number;
  readonly tax_cents: number;
  readonly refunds_cents: number;
  readonly net_cents: number;
}

interface SalesReport {
  readonly from: string;
  readonly to: string;
  readonly time_zone: string;
  readonly currency: string;
  readonly rows: readonly SalesRow[];
  readonly totals: Omit<SalesRow, 'period'>;
}

type Money = Extract<keyof SalesRow, `${string}_cents`>;

const columnsIn = (currency: string): readonly Column<SalesRow>[] => {
  const money = (key: Money, title: string): Column<SalesRow> => ({
    key,
    title,
    align: 'right',
    text: (row) => moneyWords({ amountCents: row[key], currency }, 'en'),
  });
  return [
    { key: 'period' },
    { key: 'orders', align: 'right' },
    { key: 'units', align: 'right' },
    money('gross_cents', 'gross'),
    money('discount_cents', 'discounts'),
    money('shipping_cents', 'shipping'),
    money('tax_cents', 'tax'),
    money('refunds_cents', 'refunds'),
    money('net_cents', 'net'),
  ];
};

/** So far back without `--from`: the report needs both ends. */
const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;

/** `appctl store report sales`. */
export function showSales(cli: Cli): Promise<void> {
  return withDesk(
    cli,
    twins,
    async (desk) => {
      const to = cli.option('to') ?? timeAt(desk).slice(0, 10);
      const start = Date.parse(`${to}T00:00:00.000Z`) - (DEFAULT_DAYS - 1) * DAY_MS;
      const from =
        cli.option('from') ?? (Number.isNaN(start) ? to : new Date(start).toISOString().slice(0, 10));
      const { data } = await desk.get<Answer<SalesReport>>('reports/sales', {
        from,
        to,
        group: cli.option('by'),
      });
      const total = { ...data.totals, period: 'total' };
      await cli.out.rows(
        data,
        cli.out.mode === 'human' ? [...data.rows, total] : data.rows,
        columnsIn(data.currency),
      );
    },
    loadStoreApi,
  );
}

interface Rebuilt {
  readonly orders: number;
  readonly total: number;
  readonly done: boolean;
}

/** `appctl store report rebuild`: each call counts some orders, so that the bar moves. */
export function rebuildReports(cli: Cli): Promise<void> {
  return withDesk(
    cli,
    twins,
    async (desk) => {
      const count = async (restart: boolean) =>
        (await desk.post<Answer<Rebuilt>>('reports/rebuild', { restart })).data;
      let counted = await count(true);
      const progress = await cli.progress('orders', counted.total);
      try {
        while (!counted.done) {
          progress.update(counted.orders);
          counted = await count(false);
        }
      } finally {
        progress.stop();
      }
      const { orders } = counted;
      await cli.out.value(
        { orders },
        () => `${orders} ${orders === 1 ? 'order was' : 'orders were'} counted`,
      );
    },
    loadStoreApi,
  );
}
