/** How forms of the panel write what JSON has as objects. */
import type { Ctx } from '#kernel/context.ts';
import type { Written } from '#platform/admin/index.ts';
import { timezone } from '#storefront/contract/settings.ts';
import type { CustomerRule, ScheduleRule, ShippingRule, StoredTargets, TargetKind } from './record.ts';

type Read = ReturnType<Written['read']>;

const text = (rows: number) => ({ rows, autocomplete: 'off', spellcheck: 'false' });
const shortened = (line: string): string => `“${line.trim().slice(0, 40)}”`;

const PERCENT = /^\d{1,3}(?:[.,]\d{1,2})?$/;

/** A percentage, of which JSON has basis points. */
export const asPercent = (): Written => ({
  unit: '%',
  text: (value) => String(Number(value) / 100),
  read(sent): Read {
    const bare = sent.replace('%', '').trim();
    if (!PERCENT.test(bare))
      return { fault: `${shortened(sent)} is not a percentage; enter it as 10 or 12.5` };
    const [whole = '0', part = ''] = bare.split(/[.,]/);
    const value = Number(whole) * 100 + Number(part.padEnd(2, '0'));
    return value >= 1 && value <= 10_000 ? { value } : { fault: 'must be more than 0 and at most 100 %' };
  },
});

const WORDS = {
  products: 'product',
  variants: 'variant',
  categories: 'category',
  collections: 'collection',
  tags: 'tag',
} as const satisfies Record<TargetKind, string>;

const kindOf: Readonly<Record<string, TargetKind>> = {
  ...Object.fromEntries(Object.entries(WORDS).map(([kind, word]) => [word, kind as TargetKind])),
  sku: 'variants',
};

const TARGET = /^(\w+?)s?\s*[:\s]\s*(.+)$/u;

/** Goods: one a line, each with what it is before its name. */
export const asTargets = (): Written => ({
  unit: 'one per line',
  attributes: text(3),
  text: (value) =>
    value === 'all'
      ? 'everything'
      : Object.entries(value as Exclude<StoredTargets, 'all'>)
          .flatMap(([kind, names = []]) => names.map((name) => `${WORDS[kind as TargetKind]} ${name}`))
          .join('\n'),
  read(sent): Read {
    const lines = sent.split('\n').flatMap((line) => line.trim() || []);
    if (lines.length === 1 && /^(?:everything|all)$/i.test(lines[0] ?? '')) return { value: 'all' };
    const lists: Partial<Record<TargetKind, string[]>> = {};
    for (const line of lines) {
      const [, word = '', name = ''] = TARGET.exec(line.replace(/^categories\b/i, 'category')) ?? [];
      const kind = kindOf[word.toLowerCase()];
      if (kind === undefined)
        return {
          fault: `${shortened(line)} has no type; write product, variant, category, collection or tag before the name, such as category mugs`,
        };
      lists[kind] = [...(lists[kind] ?? []), name.trim()];
    }
    return { value: lists };
  },
});

const CUSTOMERS = { logged_in: 'logged in', first_order: 'first order' } as const;

/** Who may have it. */
export const asCustomers = (): Written => ({
  unit: 'empty: everybody',
  attributes: text(1),
  text(value) {
    const { kind, values } = value as CustomerRule;
    if (kind === 'all') return '';
    if (kind === 'groups') return `groups ${values.join(', ')}`;
    return kind === 'email_domains' ? `emails at ${values.join(', ')}` : CUSTOMERS[kind];
  },
  read(sent): Read {
    const bare = sent.trim().toLowerCase();
    const kind = Object.entries(CUSTOMERS).find(([, words]) => words === bare)?.[0];
    if (kind) return { value: { kind } };
    const [, groups] = /^groups?:? (.+)$/is.exec(sent.trim()) ?? [];
    if (groups)
      return { value: { kind: 'groups', values: groups.split(',').flatMap((one) => one.trim() || []) } };
    const [, domains] = /^emails?(?: at)? (.+)$/s.exec(bare) ?? [];
    if (domains) return { value: { kind: 'email_domains', values: domains.split(/[\s,]+/).filter(Boolean) } };
    return {
      fault: `${shortened(sent)} is not understood; write logged in, first order, groups Resellers, or emails at example.com`,
    };
  },
});

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const HOURS = /^(.*?)\s+(\d{1,2}:\d\d)\s*(?:-|–|to)\s*(\d{1,2}:\d\d)$/;
const dayOf = (word: string): number =>
  DAYS.findIndex((day) => word.slice(0, 3).toLowerCase() === day.toLowerCase()) + 1;

/** Days and hours of the week, in the time zone of the shop. */
export const asHours = ({ settings }: Ctx): Written => ({
  unit: settings.get(timezone),
  attributes: text(1),
  text(value) {
    const { days, from, to } = value as ScheduleRule;
    return `${days.map((day) => DAYS[day - 1]).join(', ')} ${from}-${to}`;
  },
  read(sent): Read {
    const fault = {
      fault: `${shortened(sent)} is not understood; write days and hours, such as Mon-Fri 09:00-17:00`,
    };
    const [, words = '', from = '', to = ''] = HOURS.exec(sent.trim()) ?? [];
    const days = words.split(/[\s,]+/).flatMap((word) => {
      const [first = 0, last = first] = word.split('-').map(dayOf);
      return first === 0 || last < first
        ? [0]
        : Array.from({ length: last - first + 1 }, (_, at) => first + at);
    });
    if (days.includes(0)) return fault;
    const padded = (time: string): string => time.padStart(5, '0');
    return { value: { days: [...new Set(days)].sort(), from: padded(from), to: padded(to) } };
  },
});

/** Countries. */
export const asCountries = (): Written => ({
  unit: 'empty: everywhere',
  attributes: text(1),
  text: (value) => (value as ShippingRule).countries.join(', '),
  read: (sent): Read => ({
    value: {
      countries: sent
        .toUpperCase()
        .split(/[\s,]+/)
        .filter(Boolean),
    },
  }),
});
