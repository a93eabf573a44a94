import { moneyWords } from '#kernel/money-words.ts';
import { stateWords } from './words.ts';

interface Event {
  readonly type: string;
  readonly body: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

const text = (value: unknown): string => (typeof value === 'string' ? stateWords(value) : '');

/** Older events do not name their currency: their amounts stand in the lists of payments and refunds alone. */
const amountIn = ({ amount_cents: cents, currency }: Event['data']): string =>
  typeof cents === 'number' && typeof currency === 'string'
    ? moneyWords({ amountCents: cents, currency }, 'en')
    : '';

const joined = (...parts: readonly string[]): string => parts.filter((one) => one !== '').join(' ');

const BY_TYPE: Readonly<Record<string, (data: Event['data']) => string>> = {
  status: ({ placed, reason }) => (placed === true ? 'The order was placed' : text(reason)),
  payment: (data) => joined(text(data.method), amountIn(data), text(data.status), text(data.error_code)),
  refund: (data) =>
    joined(
      typeof data.number === 'string' ? `Refund ${data.number}` : 'Refund',
      amountIn(data),
      text(data.status) || text(data.reason),
      data.way === 'by_hand' ? '(you pay it back yourself)' : '',
    ),
  shipment: ({ number, status }) => joined(`Shipment ${String(number ?? '')}`.trim(), text(status)),
  return: ({ number, status }) => joined(`Return ${String(number ?? '')}`.trim(), text(status)),
  email: ({ template, to }) => joined(`Email: ${text(template)}`, typeof to === 'string' ? `to ${to}` : ''),
  edit: (data) => `Changed: ${Object.keys(data).map(stateWords).join(', ')}`,
  license: ({ licenses, status, missing }) =>
    Array.isArray(licenses) && licenses.length > 0
      ? joined(`${licenses.length} ${licenses.length === 1 ? 'license' : 'licenses'}`, text(status) || 'made')
      : joined(text(status), typeof missing === 'number' ? `${missing} missing` : ''),
};

/** A line of the history of an order for staff, whether or not somebody wrote a note with it. */
export function eventWords({ type, body, data }: Event): string | null {
  const said = BY_TYPE[type]?.(data) ?? '';
  return joined(said, body === null ? '' : said === '' ? body : `· ${body}`) || null;
}
