// `npm run bench`: what the program costs beside the least and the usual way of doing the same, in one run.
import { writeFileSync } from 'node:fs';
import { type AuditFigures, judgeAudit, measureAudit } from './audit.ts';
import { type CullFigures, judgeCull, measureCull } from './cull.ts';
import { seedDatabases } from './databases.ts';
import { type DownloadFigures, judgeDownload, measureDownload } from './download.ts';
import { judgeLighthouse } from './lighthouse.ts';
import { describeMachine, machineLine } from './machine.ts';
import { type BenchOptions, type DatabaseKind, readOptions, type Subject, usage } from './options.ts';
import { judgeOutbox, measureOutbox, type OutboxFigures } from './outbox.ts';
import { measurePanel } from './panel.ts';
import { measureProgram } from './program.ts';
import { judge, judgeProgram, type Verdict } from './ratios.ts';
import { figuresTable, verdictsTable } from './report.ts';
import { measureTargets } from './rounds.ts';
import { measureShop, rowsTable, type ShopRow } from './shop.ts';
import { measureReports } from './shop-reports.ts';
import { measureStaff } from './staff.ts';
import { type Growth, growStatistics, judgeGrowth, sampleOf } from './statistics-growth.ts';
import { judgeWorkers, measureWorkers } from './workers.ts';

/** Not measured by targets that take turns. */
const BESIDE: readonly Subject[] = [
  'cull',
  'outbox',
  'audit',
  'staff',
  'panel',
  'shop',
  'reports',
  'lighthouse',
  'download',
  'statistics',
  'program',
  'workers',
];

const print = (text: string): void => void process.stdout.write(`${text}\n`);
/** Progress goes to the other stream, so that the tables can be kept by themselves. */
const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function benchDatabase(kind: DatabaseKind, options: BenchOptions) {
  const startedMs = performance.now();
  const { installations, version, remove } = await seedDatabases(kind, options);
  try {
    const { large, few } = installations;
    const size = `${large.licenses.toLocaleString('en')} licenses with ${large.activations.toLocaleString('en')} activations`;
    const seedSeconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    say(`${kind}: seeded ${size}, and ${few.licenses.toLocaleString('en')} licenses, in ${seedSeconds} s`);
    const results = await measureTargets(installations, options, (line) => say(`${kind}, ${line}`));
    const verdicts = judge(kind, results);
    print(`\n${heading(options, `${version}: ${size}`)}\n`);
    print(`${figuresTable(results, options.markdown)}\n`);
    print(verdictsTable(verdicts, options.markdown));
    return { kind, version, licenses: large.licenses, activations: large.activations, results, verdicts };
  } finally {
    await remove();
  }
}

/** The cull of every database that was asked for, and what was promised of it. */
async function measureCulls(options: BenchOptions) {
  const culls: Partial<Record<DatabaseKind, CullFigures>> = {};
  const verdicts: Verdict[] = [];
  if (!options.only.has('cull')) return { culls, verdicts };
  for (const kind of options.databases) {
    const figures = await measureCull(kind, options, say);
    culls[kind] = figures;
    verdicts.push(...judgeCull(kind, figures));
  }
  print(
    `\n${heading(options, 'The heartbeat cull under load')}\n\n${verdictsTable(verdicts, options.markdown)}`,
  );
  return { culls, verdicts };
}

/** The outbox on every database that was asked for, and what was promised of it. */
async function measureOutboxes(options: BenchOptions) {
  const outboxes: Partial<Record<DatabaseKind, OutboxFigures[]>> = {};
  const verdicts: Verdict[] = [];
  if (!options.only.has('outbox')) return { outboxes, verdicts };
  for (const kind of options.databases) {
    const figures = await measureOutbox(kind, options, (line) => say(`${kind}, ${line}`));
    outboxes[kind] = figures;
    verdicts.push(...judgeOutbox(kind, figures));
  }
  print(
    `\n${heading(options, 'The outbox, alone and under load')}\n\n${verdictsTable(verdicts, options.markdown)}`,
  );
  return { outboxes, verdicts };
}

/** Changes by staff with the audit log and without it, on every database that was asked for. */
async function measureAudits(options: BenchOptions) {
  const audits: Partial<Record<DatabaseKind, AuditFigures[]>> = {};
  const verdicts: Verdict[] = [];
  if (!options.only.has('audit')) return { audits, verdicts };
  for (const kind of options.databases) {
    const figures = await measureAudit(kind, options, (line) => say(`${kind}, ${line}`));
    audits[kind] = figures;
    verdicts.push(...judgeAudit(kind, figures));
  }
  print(`\n${heading(options, 'Changes by staff')}\n\n${verdictsTable(verdicts, options.markdown)}`);
  return { audits, verdicts };
}

/** A server of two processes beside one, on every database that was asked for. */
async function measureAllWorkers(options: BenchOptions): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  if (!options.only.has('workers')) return verdicts;
  for (const kind of options.databases)
    verdicts.push(
      ...judgeWorkers(kind, await measureWorkers(kind, options, (line) => say(`${kind}, ${line}`))),
    );
  print(`\n${heading(options, 'Several processes')}\n\n${verdictsTable(verdicts, options.markdown)}`);
  return verdicts;
}

/** What staff waits for, on every database that was asked for. */
async function measureStaffs(options: BenchOptions): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  if (!options.only.has('staff')) return verdicts;
  for (const kind of options.databases)
    verdicts.push(...(await measureStaff(kind, options, (line) => say(`${kind}, ${line}`))));
  const title = `What staff waits for, with ${options.licenses.toLocaleString('en')} licenses`;
  print(`\n${heading(options, title)}\n\n${verdictsTable(verdicts, options.markdown)}`);
  return verdicts;
}

/** The panel in the browser, on every database that was asked for. */
async function measurePanels(options: BenchOptions): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  if (!options.only.has('panel')) return verdicts;
  for (const kind of options.databases)
    verdicts.push(...(await measurePanel(kind, options, (line) => say(`${kind}, ${line}`))));
  const title = `The panel, with ${options.licenses.toLocaleString('en')} licenses`;
  print(`\n${heading(options, title)}\n\n${verdictsTable(verdicts, options.markdown)}`);
  return verdicts;
}

/** What shoppers wait for, on every database that was asked for. */
async function measureShops(options: BenchOptions): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  if (!options.only.has('shop')) return verdicts;
  const rows: ShopRow[] = [];
  for (const kind of options.databases) {
    const measured = await measureShop(kind, options, (line) => say(`${kind}, ${line}`));
    rows.push(...measured.rows);
    verdicts.push(...measured.verdicts);
  }
  print(`\n${heading(options, `A shop with ${options.products.toLocaleString('en')} products`)}\n`);
  print(`${rowsTable(rows)}\n\n${verdictsTable(verdicts, options.markdown)}`);
  return verdicts;
}

/** What staff waits for who look at figures, on every database that was asked for. */
async function measureAllReports(options: BenchOptions): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  if (!options.only.has('reports')) return verdicts;
  for (const kind of options.databases)
    verdicts.push(...(await measureReports(kind, options, (line) => say(`${kind}, ${line}`))));
  const title = `Reports of ${options.orders.toLocaleString('en')} orders`;
  print(`\n${heading(options, title)}\n\n${verdictsTable(verdicts, options.markdown)}`);
  return verdicts;
}

/** How Lighthouse judges the pages of a shop. */
async function measureLighthouse(options: BenchOptions): Promise<Verdict[]> {
  if (!options.only.has('lighthouse')) return [];
  const verdicts = await judgeLighthouse(options, say);
  print(`\n${heading(options, 'The shop on a phone')}\n\n${verdictsTable(verdicts, options.markdown)}`);
  return verdicts;
}

/** Downloads beside nginx, and what was promised of them. */
async function measureDownloads(options: BenchOptions) {
  let figures: DownloadFigures | undefined;
  if (!options.only.has('download')) return { download: figures, verdicts: [] };
  figures = await measureDownload(options, say);
  const verdicts = judgeDownload(figures);
  const title = `Downloads${figures.nginx === null ? '' : `, beside ${figures.nginx}`}`;
  print(`\n${heading(options, title)}\n\n${verdictsTable(verdicts, options.markdown)}`);
  return { download: figures, verdicts };
}

/** What a month of validations leaves behind, on every database that was asked for. */
async function measureGrowth(options: BenchOptions) {
  const growth: Partial<Record<DatabaseKind, Growth>> = {};
  const verdicts: Verdict[] = [];
  if (!options.only.has('statistics')) return { growth, verdicts };
  for (const kind of options.databases) {
    const sample = sampleOf(options);
    growth[kind] = await growStatistics(kind, sample);
    verdicts.push(...judgeGrowth(kind, sample, growth[kind]));
  }
  print(`\n${heading(options, 'A month of statistics')}\n\n${verdictsTable(verdicts, options.markdown)}`);
  return { growth, verdicts };
}

const heading = ({ markdown }: BenchOptions, text: string): string => (markdown ? `**${text}**` : text);

async function main(options: BenchOptions): Promise<void> {
  const machine = describeMachine();
  const { seconds, rounds, connections, wrk } = options;
  const method = `${rounds} rounds of ${seconds} s over ${connections} connections with ${wrk ? 'wrk' : 'autocannon'}, medians`;
  print(`${machineLine(machine)}; ${method}`);
  const databases = [];
  const isLoaded = [...options.only].some((subject) => !BESIDE.includes(subject));
  if (isLoaded) for (const kind of options.databases) databases.push(await benchDatabase(kind, options));
  const { culls, verdicts: cullVerdicts } = await measureCulls(options);
  const { outboxes, verdicts: outboxVerdicts } = await measureOutboxes(options);
  const { audits, verdicts: auditVerdicts } = await measureAudits(options);
  const workerVerdicts = await measureAllWorkers(options);
  const staffVerdicts = await measureStaffs(options);
  const panelVerdicts = await measurePanels(options);
  const shopVerdicts = [
    ...(await measureShops(options)),
    ...(await measureAllReports(options)),
    ...(await measureLighthouse(options)),
  ];
  const { download, verdicts: downloadVerdicts } = await measureDownloads(options);
  const { growth, verdicts: growthVerdicts } = await measureGrowth(options);
  const program = options.only.has('program') ? await measureProgram(say) : [];
  const verdicts: Verdict[] = judgeProgram(program);
  if (verdicts.length > 0)
    print(`\n${heading(options, 'The program')}\n\n${verdictsTable(verdicts, options.markdown)}`);
  if (options.json) {
    const document = {
      machine,
      seconds,
      rounds,
      connections,
      client: wrk ? 'wrk' : 'autocannon',
      databases,
      culls,
      outboxes,
      audits,
      download,
      growth,
      program,
      verdicts: [
        ...cullVerdicts,
        ...outboxVerdicts,
        ...auditVerdicts,
        ...workerVerdicts,
        ...staffVerdicts,
        ...panelVerdicts,
        ...shopVerdicts,
        ...downloadVerdicts,
        ...growthVerdicts,
        ...verdicts,
      ],
    };
    writeFileSync(options.json, `${JSON.stringify(document, null, 2)}\n`);
  }
}

// Leaving in order removes the folders; the servers end when their standard input does.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

try {
  const options = readOptions(process.argv.slice(2));
  if (options === null) print(usage);
  else await main(options);
} catch (error) {
  say(`bench: ${(error as Error).message}`);
  process.exitCode = 1;
}
