import { column } from '#kernel/db/column.ts';
import { record } from '#kernel/db/record.ts';
import { ids } from '#licensing/contract/ids.ts';

/** Kinds of `license_observations` (D128). */
export const OBSERVATION_KINDS = [
  'IP_NET',
  'MACHINE_TRIED',
  'MACHINE_DENIED',
  'CHURN',
  'LIMIT',
  'BEAT_IP',
] as const;
export type ObservationKind = (typeof OBSERVATION_KINDS)[number];

/**
 * Days for which observations are read, by kind: CHURN looks back 30 days and reports of refused machines a month, all
 * other rules of abuse detection a day at most (8.6). The hour is for clocks that differ.
 */
const DAYS: Readonly<Record<ObservationKind, number>> = {
  CHURN: 31,
  MACHINE_DENIED: 31,
  IP_NET: 1.05,
  MACHINE_TRIED: 1.05,
  LIMIT: 1.05,
  BEAT_IP: 1.05,
};
/** Each row has an index of its own to leave besides the row. */
const AT_ONCE = 100;
/** Days for which refusals are counted: reports look back a month (6.10). */
const DENIAL_DAYS = 31;

/** How often something was seen of a license on a day. Values are keyed digests, codes and minutes. */
export const observationRecord = record(
  'license_observations',
  {
    licenseId: column.id(ids.license).references('licenses'),
    day: column.day(),
    kind: column.choice(OBSERVATION_KINDS),
    value: column.text(255),
    count: column.integer(0),
    firstAt: column.time(),
    lastAt: column.time(),
    /** When the row was last written, which is never before what it counts. */
    notedAt: column.minute().aside(),
  },
  {
    key: ['licenseId', 'day', 'kind', 'value'],
    kept: Object.entries(DAYS).map(([kind, days]) => {
      return { as: 'observations', by: 'notedAt', days, where: { kind }, atOnce: AT_ONCE } as const;
    }),
  },
);

/** Refusals of a license by day and code. */
export const denialRecord = record(
  'license_denials',
  {
    licenseId: column.id(ids.license).references('licenses'),
    day: column.day(),
    code: column.text(100, 1),
    count: column.integer(0),
    machines: column.integer(0),
    firstAt: column.time(),
    lastAt: column.time(),
  },
  { key: ['licenseId', 'day', 'code'], kept: [{ as: 'denials', by: 'day', days: DENIAL_DAYS }] },
);

/** Two years and some days: charts compare a year with the one before. */
const TOTAL_DAYS = 800;

/** What was asked of the licenses of a product on a day. */
export const dailyTotalRecord = record(
  'license_daily_totals',
  {
    productId: column.id(ids.product).references('license_products'),
    day: column.day(),
    validations: column.integer(0),
    denials: column.integer(0),
    heartbeats: column.integer(0),
  },
  { key: ['productId', 'day'], kept: [{ as: 'dailyTotals', by: 'day', days: TOTAL_DAYS }] },
);

/** Two days: pages show the calls of 24 hours. */
const HOURS_DAYS = 2;

/** Calls of the license API by API key and hour. */
export const keyHourRecord = record(
  'license_key_hours',
  {
    apiKeyId: column.id('key').references('api_keys'),
    hour: column.hour(),
    calls: column.integer(0),
    failed: column.integer(0),
  },
  { key: ['apiKeyId', 'hour'], kept: [{ as: 'keyHours', by: 'hour', days: HOURS_DAYS }] },
);
