// SQL over the data: rules of licensing section 8.8, and that no change is half there: each has its line in the timeline.
import type { Installation } from './installation.ts';
import { command } from './processes.ts';
import { Complaints } from './proof.ts';
import type { Reader } from './reader.ts';

/** Each answers with the licenses that break a rule. */
const rules: Record<string, string> = {
  'more live activations than allowed': `SELECT l.id FROM licenses l JOIN license_activations a ON a.license_id = l.id
     WHERE a.ended_at IS NULL GROUP BY l.id, l.max_activations HAVING count(*) > l.max_activations`,
  'one machine lives twice': `SELECT license_id AS id FROM license_activations WHERE ended_at IS NULL
     GROUP BY license_id, machine_id HAVING count(*) > 1`,
  'the usage counter is not the sum of its records': `SELECT l.id FROM licenses l
     LEFT JOIN license_usage u ON u.license_id = l.id AND u.epoch = l.usage_epoch
     GROUP BY l.id, l.current_uses, l.usage_base HAVING l.current_uses <> l.usage_base + coalesce(sum(u.quantity), 0)`,
  'not exactly one current key': `SELECT l.id FROM licenses l
     LEFT JOIN license_keys k ON k.license_id = l.id AND k.kind = 'CURRENT'
     GROUP BY l.id, l.honeypot HAVING NOT l.honeypot AND count(k.id) <> 1`,
  'a revoked or deleted license lives on': `SELECT l.id FROM licenses l JOIN license_activations a ON a.license_id = l.id
     WHERE a.ended_at IS NULL AND (l.status = 'REVOKED' OR l.deleted_at IS NOT NULL)`,
  'an idempotency key without a license':
    "SELECT key AS id FROM license_idempotency WHERE namespace = 'api' AND license_id IS NULL",
};

/** Rows and the events that tell of them: as many of one as of the other, license by license. */
const told: Record<string, string> = {
  LICENSE_CREATED: 'SELECT id, count(*) AS n FROM licenses GROUP BY id',
  LICENSE_ACTIVATED:
    "SELECT license_id AS id, count(*) AS n FROM license_activations WHERE kind = 'NODE' GROUP BY 1",
  SEAT_CHECKED_OUT:
    "SELECT license_id AS id, count(*) AS n FROM license_activations WHERE kind = 'LEASE' GROUP BY 1",
  SEAT_CHECKED_IN:
    "SELECT license_id AS id, count(*) AS n FROM license_activations WHERE end_reason = 'CHECKIN' GROUP BY 1",
  LEASE_EXPIRED:
    "SELECT license_id AS id, count(*) AS n FROM license_activations WHERE end_reason = 'LEASE_EXPIRED' GROUP BY 1",
  USAGE_RECORDED: 'SELECT license_id AS id, count(*) AS n FROM license_usage GROUP BY 1',
};

interface Count {
  id: string;
  n: number;
}

/**
 * Examines all stored licenses; nobody writes meanwhile.
 *
 * @returns what is broken or half done
 */
export async function examineInvariants(reader: Reader): Promise<Complaints> {
  const broken = new Complaints();
  for (const [what, sql] of Object.entries(rules)) {
    for (const { id } of await reader.all<{ id: string }>(sql)) broken.unless(false, () => `${what}: ${id}`);
  }
  const lines = await reader.all<Count & { type: string }>(
    'SELECT type, subject AS id, count(*) AS n FROM events GROUP BY type, subject',
  );
  const byType = Map.groupBy(lines, ({ type }) => type);
  for (const [type, sql] of Object.entries(told)) {
    const events = new Map((byType.get(type) ?? []).map(({ id, n }) => [id, n]));
    for (const { id, n } of await reader.all<Count>(sql)) {
      const found = events.get(id) ?? 0;
      events.delete(id);
      broken.unless(found === n, () => `${id} has ${n} rows and ${found} events ${type}`);
    }
    for (const [id, n] of events) broken.unless(false, () => `${id} has ${n} events ${type} and no row`);
  }
  return broken;
}

/** What SQLite says of its own file; Postgres has nothing of the kind. */
export async function examineFile(reader: Reader): Promise<Complaints> {
  const broken = new Complaints();
  try {
    for (const row of await reader.all<Record<string, string>>('PRAGMA integrity_check')) {
      broken.unless(row.integrity_check === 'ok', () => `integrity_check: ${row.integrity_check}`);
    }
    for (const row of await reader.all<object>('PRAGMA foreign_key_check')) {
      broken.unless(false, () => `foreign_key_check: ${JSON.stringify(row)}`);
    }
  } catch (error) {
    // It cannot even be read.
    broken.unless(false, () => `integrity_check: ${(error as Error).message}`);
  }
  return broken;
}

/** What the program says of its own data. */
export async function askDoctor({ launch }: Installation): Promise<Complaints> {
  const broken = new Complaints();
  const run = await command(launch, ['doctor', 'license.invariants', '--json']);
  broken.unless(run.code === 0, () => `doctor license.invariants: ${run.stdout}${run.stderr}`);
  return broken;
}
