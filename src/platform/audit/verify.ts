import type { Ctx } from '#kernel/context.ts';
import { hashOf } from './chain.ts';
import { CUT } from './events.ts';
import * as repo from './repository.ts';
import type { AuditVerdict } from './view.ts';

/** Retention may cut rows while they are read: the walk then begins anew. */
const MOST_TRIES = 3;

/** An end of the chain that somebody kept. */
export type Anchor = repo.Head;

/** What is wrong with a row, in words. */
interface Fault {
  readonly brokenAt: number;
  readonly fault: string;
}

/**
 * Reads the whole log and finds every row that was changed, removed, inserted or moved (reliability M25). That its last
 * rows were cut off together with the head only an anchor shows.
 *
 * @param anchor as an earlier verification printed it
 */
export async function verify(ctx: Ctx, anchor?: Anchor): Promise<AuditVerdict> {
  for (let tries = 1; ; tries++) {
    const walk = new Walk(ctx, await repo.readHead(ctx), anchor);
    const fault = await walk.run();
    const verdict = { checked: walk.checked, from: walk.from, head: walk.end };
    if (fault === null) return { ok: true, ...verdict };
    const [first] = await repo.listAfter(ctx, 0);
    if (first?.seq === walk.from || tries === MOST_TRIES) return { ok: false, ...fault, ...verdict };
  }
}

class Walk {
  readonly #ctx: Ctx;
  /** As it was before the walk: rows that come meanwhile stand behind it. */
  readonly #head: repo.Head;
  readonly #anchor: Anchor | undefined;
  checked = 0;
  /** Number of the first row; the one that comes next when there is none. */
  from: number;
  end: repo.Head = { seq: 0, hash: '' };

  constructor(ctx: Ctx, head: repo.Head, anchor: Anchor | undefined) {
    this.#ctx = ctx;
    this.#head = head;
    this.#anchor = anchor;
    this.from = head.seq + 1;
  }

  async run(): Promise<Fault | null> {
    for (;;) {
      const rows = await repo.listAfter(this.#ctx, this.end.seq);
      const [first] = rows;
      if (this.checked === 0 && first) {
        const fault = await this.#begin(first);
        if (fault) return fault;
      }
      for (const row of rows) {
        const fault = this.#next(row);
        if (fault) return fault;
      }
      if (rows.length < repo.ROWS_OF_A_WALK) return this.#finish();
    }
  }

  /** A chain that does not begin with its first row must say that retention has cut it, and where. */
  async #begin(first: repo.StoredRow): Promise<Fault | null> {
    const seq = Number(first.seq);
    this.from = seq;
    this.end = { seq: seq - 1, hash: String(first.prev_hash) };
    if (seq === 1) return first.prev_hash === '' ? null : broken(1, 'it does not begin the chain');
    const cut = await repo.findCut(this.#ctx, CUT, seq - 1);
    if (cut?.hash === first.prev_hash) return null;
    return broken(
      seq - 1,
      'the rows before this one are missing, and no row says that retention removed them',
    );
  }

  #next(row: repo.StoredRow): Fault | null {
    const seq = this.end.seq + 1;
    if (row.seq !== seq) return broken(seq, 'the row is missing');
    if (row.prev_hash !== this.end.hash) return broken(seq, 'it does not continue the row before it');
    if (row.hash !== hashOf(this.#ctx, row)) return broken(seq, 'it is not what was written');
    this.end = { seq, hash: row.hash };
    this.checked += 1;
    return this.#compare(this.#head, 'the head of the log says otherwise') ?? this.#compareAnchor();
  }

  #compareAnchor(): Fault | null {
    return this.#anchor ? this.#compare(this.#anchor, 'the anchor says otherwise') : null;
  }

  #compare({ seq, hash }: repo.Head, fault: string): Fault | null {
    return seq === this.end.seq && hash !== this.end.hash ? broken(seq, fault) : null;
  }

  #finish(): Fault | null {
    const missing = (seq: number) =>
      seq > this.end.seq ? broken(this.end.seq + 1, 'the row is missing') : null;
    return missing(this.#head.seq) ?? (this.#anchor ? missing(this.#anchor.seq) : null);
  }
}

const broken = (brokenAt: number, fault: string): Fault => ({ brokenAt, fault });
