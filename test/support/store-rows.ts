// The rows of the shop's API as it is designed, and which of them a run of the suite has seen answer.
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An operation of the shop's API. Tier 1: a shop that sells; 2: what the specification names beside; 3: comfort. */
export interface StoreRow {
  readonly name: string;
  readonly tier: '1' | '2' | '3';
  readonly purpose: string;
}

/** Names of parameters are nobody's contract: `{id}` and `{order_number}` are the same place. */
export const rowName = (method: string, path: string): string =>
  `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '{}')}`;

export const storeRows: readonly StoreRow[] = readFileSync(
  join(import.meta.dirname, '../contract/store-rows.tsv'),
  'utf8',
)
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [method = '', path = '', tier = '', purpose = ''] = line.split('\t');
    return { name: rowName(method, path), tier: tier as StoreRow['tier'], purpose };
  });

/** Rows of the first tier that need what this version does not have yet: licenses, reviews, points, restored carts. */
export const LATER: readonly string[] = [
  'GET /api/store/variants/{}/license-grant',
  'PUT /api/store/variants/{}/license-grant',
  'DELETE /api/store/variants/{}/license-grant',
  'GET /api/store/orders/{}/licenses',
  'POST /api/store/orders/{}/licenses/mint',
  'GET /api/shop/products/{}/reviews',
  'GET /api/store/reviews',
  'GET /api/store/reviews/{}',
  'POST /api/store/reviews/{}/approve',
  'POST /api/store/reviews/{}/reject',
  'DELETE /api/store/reviews/{}',
  'POST /api/store/cart/loyalty',
  'POST /api/store/cart/loyalty/remove',
  'POST /api/store/cart/restore',
];

/** Where the processes of a run write which rows they saw. */
const FOLDER = 'APPCTL_SEEN_STORE_ROWS';

/** Begins a run: its processes, which are started later, find the folder in their environment. */
export function beginSeenRows(): void {
  process.env[FOLDER] = mkdtempSync(join(tmpdir(), 'appctl-rows-'));
}

/** Notes that an operation has answered as it is declared. Nothing is noted where no run of the suite began. */
export function noteSeenRow(name: string): void {
  const folder = process.env[FOLDER];
  if (folder !== undefined) appendFileSync(join(folder, String(process.pid)), `${name}\n`);
}

/** Names of the rows that answered since `beginSeenRows`, and how often. */
export function endSeenRows(): Map<string, number> {
  const folder = process.env[FOLDER] ?? '';
  const counts = new Map<string, number>();
  const lines = readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'));
  for (const line of lines) if (line !== '') counts.set(line, (counts.get(line) ?? 0) + 1);
  rmSync(folder, { recursive: true });
  return counts;
}
