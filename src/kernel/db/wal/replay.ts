import { type FileHandle, open } from 'node:fs/promises';
import { type Frame, frameBytes, HEAD_BYTES, parseHead, readFrame } from './format.ts';
import { beginningOf, type WalPosition } from './scan.ts';

/** A piece of a log: its head, and frames that follow those of the piece before. */
export interface WalPiece {
  readonly head: Buffer;
  /** Where its first frame stands in the log. */
  readonly offset: number;
  readonly frames: Buffer;
}

/** Pieces that do not fit together, or are damaged. */
export class BrokenLog extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'BrokenLog';
  }
}

/**
 * Writes the transactions of a log into a copy of its database that is older than they are, or was taken while they were
 * made: a page holds what the last of them wrote. Pieces are given in their order. Pages are written as they come, since
 * a transaction can be larger than memory: the copy is a database when the last piece ended one.
 */
export class Replay {
  readonly #file: FileHandle;
  #at: WalPosition | null = null;
  #isWhole = true;
  #transactions = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** @param path of the copy, which nobody has open */
  static async open(path: string): Promise<Replay> {
    return new Replay(await open(path, 'r+'));
  }

  /** How many transactions were written. */
  get transactions(): number {
    return this.#transactions;
  }

  /** No transaction is only partly written. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** @throws BrokenLog when a piece is missing before it, or when it is not whole */
  async apply(piece: WalPiece): Promise<void> {
    const head = parseHead(piece.head);
    if (head === null) throw new BrokenLog('the piece has no readable head');
    if (piece.offset === HEAD_BYTES) {
      if (!this.#isWhole) throw new BrokenLog('the log ends within a transaction');
      this.#at = beginningOf(head);
    }
    const at = this.#at;
    if (at === null) throw new BrokenLog('the first piece of the log is missing');
    if (at.salts !== head.salts || at.offset !== piece.offset)
      throw new BrokenLog(`a piece is missing before byte ${piece.offset}`);
    this.#at = await this.#applyFrames(piece.frames, head, at);
  }

  /** Continues a log in its middle: everything before `position` is in the copy already. */
  begin(position: WalPosition): void {
    this.#at = position;
  }

  /** Everything is on disk when this resolves. */
  async close(): Promise<void> {
    await this.#file.datasync();
    await this.#file.close();
  }

  async #applyFrames(
    frames: Buffer,
    head: NonNullable<ReturnType<typeof parseHead>>,
    from: WalPosition,
  ): Promise<WalPosition> {
    const size = frameBytes(head);
    let { offset, checksum } = from;
    for (let at = 0; at < frames.length; at += size) {
      const frame = readFrame(frames.subarray(at, at + size), head, checksum);
      if (frame === null) throw new BrokenLog(`the log is damaged at byte ${offset}`);
      ({ checksum } = frame);
      offset += size;
      await this.#write(frame, head.pageSize);
    }
    return { salts: head.salts, offset, checksum };
  }

  async #write({ pageNumber, pagesAfterCommit, page }: Frame, pageSize: number): Promise<void> {
    await this.#file.write(page, 0, pageSize, (pageNumber - 1) * pageSize);
    this.#isWhole = pagesAfterCommit > 0;
    if (!this.#isWhole) return;
    await this.#file.truncate(pagesAfterCommit * pageSize);
    this.#transactions += 1;
  }
}
