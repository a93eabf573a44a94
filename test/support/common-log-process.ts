// A process that adds to a common log: `["add", 100]` adds so many entries and answers with what each of them got;
// `["sum"]` answers with all entries that it has applied, as one digest.
import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';
import { CommonLog } from '#kernel/common-log.ts';

const [folder = '', name = '', leads = ''] = process.argv.slice(2);
const applied: string[] = [];
const log = new CommonLog<string>({ folder, file: 0, offset: 0 }, (entry) => applied.push(entry), {
  leads: leads === 'leads',
  longBytes: 20_000,
});

const orders: Record<string, (count: number) => unknown> = {
  add: (count) => Array.from({ length: count }, (_, i) => log.add(`${name} ${i} ${'x'.repeat(i % 90)}`)),
  sum() {
    log.catchUp();
    return { count: applied.length, sum: createHash('sha256').update(applied.join('\n')).digest('hex') };
  },
  file: () => log.place().file,
};

process.stdout.write('"ready"\n');
for await (const line of createInterface({ input: process.stdin })) {
  const [order = '', count = 0] = JSON.parse(line) as [string, number];
  process.stdout.write(`${JSON.stringify(orders[order]?.(count))}\n`);
}
log.close();
