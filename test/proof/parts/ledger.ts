// What clients were told and remember: everything in here was acknowledged and must be found in the data.
import { Complaints } from './proof.ts';
import type { Reader } from './reader.ts';

/** A machine on a license, as its one client knows it. A machine is used once: it has one row at most. */
export interface Seat {
  licenseId: string;
  machineId: string;
  /** `unsure` while the last answer about it is missing: a server died before it came. */
  state: 'unsure' | 'live' | 'ended';
  /** ISO 8601 UTC; the lease ends then or later. */
  leaseExpiresAt: string | null;
  /** ISO 8601 UTC; it was seen then or later. */
  seenAt: string;
}

/** Uses that were counted under an idempotency key. */
interface Usage {
  licenseId: string;
  quantity: number;
}

/** Everything that was acknowledged. */
export class Ledger {
  /** Acknowledged writes, each counted once. */
  acked = 0;
  /** License id by idempotency key. */
  readonly licenses = new Map<string, string>();
  readonly seats: Seat[] = [];
  /** By idempotency key. */
  readonly usage = new Map<string, Usage>();

  /**
   * Looks for all of it in the data.
   *
   * @returns how much was lost or counted twice, with the first cases
   */
  async compare(reader: Reader): Promise<Complaints> {
    const lost = new Complaints();
    await this.#compareLicenses(reader, lost);
    await this.#compareSeats(reader, lost);
    await this.#compareUsage(reader, lost);
    return lost;
  }

  async #compareLicenses(reader: Reader, lost: Complaints): Promise<void> {
    const rows = await reader.all<{ key: string; id: string | null }>(
      `SELECT i.key, l.id FROM license_idempotency i LEFT JOIN licenses l ON l.id = i.license_id
       WHERE i.namespace = 'api'`,
    );
    const stored = new Map(rows.map(({ key, id }) => [key, id]));
    for (const [key, id] of this.licenses) {
      lost.unless(stored.get(key) === id, () => `license ${id} of ${key} is not there`);
    }
  }

  async #compareSeats(reader: Reader, lost: Complaints): Promise<void> {
    const rows = await reader.all<SeatRow>(
      'SELECT license_id, machine_id, ended_at, end_reason, lease_expires_at, last_seen_at FROM license_activations',
    );
    const stored = Map.groupBy(rows, (row) => `${row.license_id} ${row.machine_id}`);
    for (const seat of this.seats) {
      const found = stored.get(`${seat.licenseId} ${seat.machineId}`) ?? [];
      lost.unless(
        isAsTold(seat, found),
        () => `${JSON.stringify(seat)} is stored as ${JSON.stringify(found)}`,
      );
    }
  }

  async #compareUsage(reader: Reader, lost: Complaints): Promise<void> {
    const rows = await reader.all<{ license_id: string; key: string; quantity: number }>(
      'SELECT license_id, idempotency_key AS key, quantity FROM license_usage WHERE idempotency_key IS NOT NULL',
    );
    const stored = Map.groupBy(rows, ({ key }) => key);
    for (const [key, { licenseId, quantity }] of this.usage) {
      const found = stored.get(key) ?? [];
      const isRight =
        found.length === 1 && found[0]?.license_id === licenseId && found[0].quantity === quantity;
      lost.unless(isRight, () => `${quantity} uses under ${key} are stored as ${JSON.stringify(found)}`);
    }
  }
}

interface SeatRow {
  license_id: string;
  machine_id: string;
  ended_at: string | null;
  end_reason: string | null;
  lease_expires_at: string | null;
  last_seen_at: string;
}

function isAsTold({ state, leaseExpiresAt, seenAt }: Seat, rows: readonly SeatRow[]): boolean {
  const [row, ...more] = rows;
  if (!row || more.length > 0) return false;
  const keepsTimes = row.last_seen_at >= seenAt && (row.lease_expires_at ?? '') >= (leaseExpiresAt ?? '');
  if (!keepsTimes || state === 'unsure') return keepsTimes;
  return state === 'live' ? row.ended_at === null : row.end_reason === 'CHECKIN';
}
