import { type FileHandle, open } from 'node:fs/promises';
import Driver, { type Database as Connection } from 'better-sqlite3';
import { checksumOf, FRAME_HEAD_BYTES, frameBytes, HEAD_BYTES, isEqual, type WalHead } from './format.ts';
import { beginningOf, lastCommit, readHead, type WalPosition } from './scan.ts';
import { beginReading, beginWriting, endReading, publishedFrames } from './transactions.ts';

/** Commits may have been missed: what was followed cannot be gone on with. */
export class LostTrack extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LostTrack';
  }
}

/** What was committed since the last look. */
export interface WalNews {
  /** The 32 bytes that begin the log. */
  readonly head: Buffer;
  readonly from: WalPosition;
  readonly to: WalPosition;
  /** Frames of it. @param end file offset, between two frames */
  read(start: number, end: number): Promise<Buffer>;
}

/**
 * Bytes of a log beyond which it is made to begin anew. From there on every commit tries to copy it into the database
 * (`wal_autocheckpoint`), and syncs two files instead of one.
 */
const LONG_LOG_BYTES = 8_388_608;

/**
 * Follows the write-ahead log of a SQLite database, and misses no commit of any process.
 *
 * SQLite begins the log anew when everything in it is in the database and nobody reads it. So one of two connections
 * always reads: the log stays as it is until the other one has begun to read a later state and everything before that was
 * taken. A log that was copied into the database whole can begin anew once under such a reader, but not twice: the
 * reader then keeps its pages out of the database.
 *
 * The file of the log is opened here, but never the database itself: closing that would take away every lock that this
 * process has on it.
 */
export class WalFollower {
  readonly #path: string;
  readonly #readers: [Connection, Connection];
  readonly #writer: Connection;
  readonly #copier: Connection;
  #file: FileHandle | null = null;
  #position: WalPosition | null = null;
  /** The reader that holds the log could not begin again. */
  #isUnread = false;
  /** Where the log ended when it was last made to begin anew: it does so with the next commit. */
  #renewedAt = 0;
  /** Index of the connection that reads now. */
  #reading: 0 | 1 = 0;

  private constructor(path: string) {
    this.#path = path;
    const connect = (readonly: boolean) => new Driver(path, { readonly, timeout: 0 });
    this.#readers = [connect(true), connect(true)];
    this.#writer = connect(false);
    this.#copier = connect(false);
  }

  /**
   * Begins where another follower of this database ended.
   *
   * @param known where that was; null for the first one
   * @param isSame whether the database file is the one that was closed with everything in it: the whole log came later
   * @returns with `continues` false when commits may have been missed since; it then begins with what is there now
   */
  static async open(
    path: string,
    known: WalPosition | null,
    isSame: () => boolean = () => false,
  ): Promise<{ follower: WalFollower; continues: boolean }> {
    const follower = new WalFollower(path);
    try {
      beginReading(follower.#readers[0]);
      // Looked at now: the log cannot be taken into the database and begin anew under the reader.
      const isUntouched = isSame();
      const continues = isUntouched || (known !== null && (await follower.#holds(known)));
      follower.#position = isUntouched ? null : continues ? known : await follower.#end();
      return { follower, continues };
    } catch (error) {
      await follower.close();
      throw error;
    }
  }

  /** Everything before it was given out; null while the log is empty. */
  get position(): WalPosition | null {
    return this.#position;
  }

  /**
   * Looks for new commits. Those that it returns stay in the log until `taken`.
   *
   * @returns null when there are none
   */
  async look(): Promise<WalNews | null> {
    const next = this.#reading === 0 ? 1 : 0;
    try {
      beginReading(this.#readers[next]);
      const news = await this.#newsAfter(this.#position);
      if (news === null) this.#turnTo(next);
      return news;
    } catch (error) {
      this.notTaken();
      throw error;
    }
  }

  /** The news are safe: the log may go on without them. */
  taken(news: WalNews): void {
    this.#position = news.to;
    this.#turnTo(this.#reading === 0 ? 1 : 0);
  }

  /** The news could not be kept: the next `look` returns them again. */
  notTaken(): void {
    endReading(this.#readers[this.#reading === 0 ? 1 : 0]);
  }

  /**
   * Whether the log has grown so long that it should begin anew, which it does not by itself while somebody writes all
   * the time.
   */
  get isLong(): boolean {
    const end = this.#position?.offset ?? 0;
    return end > LONG_LOG_BYTES && end !== this.#renewedAt;
  }

  /**
   * Copies the log into the database, so that the next commit begins it anew. To be called while this process has no
   * transaction open and begins none until it returns.
   *
   * @param keep of what was committed since the last look; when it throws, nothing changes
   * @returns false when others kept it from doing so: it is tried again later
   */
  async renew(keep: (news: WalNews) => Promise<void>): Promise<boolean> {
    if (!(await beginWriting(this.#writer))) return false;
    try {
      // Nobody can commit now.
      const news = await this.#newsAfter(this.#position);
      if (news !== null) {
        await keep(news);
        this.#position = news.to;
      }
      const reader = this.#readers[this.#reading];
      endReading(reader);
      let isTaken = false;
      try {
        isTaken = this.#takeLog();
      } finally {
        // Whatever the disk says: without a reader the log could begin anew twice.
        this.#isUnread = true;
        beginReading(reader);
        this.#isUnread = false;
      }
      if (isTaken) this.#renewedAt = this.#position?.offset ?? 0;
      return isTaken;
    } finally {
      this.#writer.exec('ROLLBACK');
    }
  }

  /** Copies what can be copied of the log into the database. @returns whether that was all of it */
  #takeLog(): boolean {
    const [done] = this.#copier.pragma('wal_checkpoint(PASSIVE)') as { log: number; checkpointed: number }[];
    return done !== undefined && done.log === done.checkpointed;
  }

  /**
   * Ends with the last commit.
   *
   * @param keep of what was committed since the last look
   * @param stateOf tells the database file from one that was written later; asked when everything is in it and nobody can
   *   write
   * @returns what it told; null when commits may follow that nobody took, or are still in the log
   */
  async finish(keep: (news: WalNews) => Promise<void>, stateOf: () => string | null): Promise<string | null> {
    let state: string | null = null;
    const isAlone = await beginWriting(this.#writer);
    try {
      const news = isAlone ? await this.#newsAfter(this.#position) : null;
      if (news !== null) {
        await keep(news);
        this.#position = news.to;
      }
      for (const reader of this.#readers) endReading(reader);
      if (isAlone && this.#takeLog()) state = stateOf();
    } finally {
      if (isAlone) this.#writer.exec('ROLLBACK');
      await this.close();
    }
    return state;
  }

  async close(): Promise<void> {
    for (const connection of [...this.#readers, this.#writer, this.#copier]) connection.close();
    await this.#file?.close();
    this.#file = null;
  }

  #turnTo(next: 0 | 1): void {
    endReading(this.#readers[this.#reading]);
    this.#reading = next;
  }

  async #newsAfter(position: WalPosition | null): Promise<WalNews | null> {
    if (this.#isUnread) throw new LostTrack('nobody read the write-ahead log for a moment');
    const file = await this.#opened();
    const found = file && (await this.#published(file));
    if (file === null || !found) return null;
    const { head, bytes, limit } = found;
    const isSame = position?.salts === head.salts;
    if (isSame && (await this.#isLost(file, head, position, limit)))
      throw new LostTrack('the write-ahead log is not the one that was followed');
    const from = isSame ? position : beginningOf(head);
    const to = await lastCommit(file, head, from, limit);
    if (to.offset === from.offset) return null;
    return { head: bytes, from, to, read: (start, end) => readExactly(file, start, end) };
  }

  async #isLost(file: FileHandle, head: WalHead, { offset, checksum }: WalPosition, limit: number) {
    return offset > limit || !isEqual(await checksumBefore(file, head, offset), checksum);
  }

  /**
   * How far the log is committed. The file alone does not tell: SQLite writes the frames of a commit, waits for the disk,
   * and only then lets them count. A process that dies before leaves frames that look whole, and others write over them.
   *
   * @returns null while nothing is; the offset behind the last commit
   */
  async #published(file: FileHandle): Promise<{ head: WalHead; bytes: Buffer; limit: number } | null> {
    for (;;) {
      const before = await readHead(file);
      const frames = await publishedFrames(this.#copier);
      const after = await readHead(file);
      if (before === null || after === null || frames <= 0) return null;
      // It began anew in between: the number is of one of the two, nobody knows of which.
      if (before.head.salts !== after.head.salts) continue;
      return { ...after, limit: HEAD_BYTES + frames * frameBytes(after.head) };
    }
  }

  /** The end of what is committed now. */
  async #end(): Promise<WalPosition | null> {
    return (await this.#newsAfter(null))?.to ?? null;
  }

  /** Whether the log still is the one that `position` was found in. */
  async #holds(position: WalPosition): Promise<boolean> {
    const file = await this.#opened();
    const found = file && (await readHead(file));
    if (file === null || found === null || found.head.salts !== position.salts) return false;
    return isEqual(await checksumBefore(file, found.head, position.offset), position.checksum);
  }

  /** There is no file before the first write. */
  async #opened(): Promise<FileHandle | null> {
    try {
      this.#file ??= await open(`${this.#path}-wal`, 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    return this.#file;
  }
}

async function checksumBefore(file: FileHandle, head: WalHead, offset: number) {
  const start = offset - frameBytes(head);
  if (start < 0) return head.checksum;
  const frame = Buffer.alloc(FRAME_HEAD_BYTES);
  await file.read(frame, 0, FRAME_HEAD_BYTES, start);
  return checksumOf(frame);
}

async function readExactly(file: FileHandle, start: number, end: number): Promise<Buffer> {
  const bytes = Buffer.alloc(end - start);
  let done = 0;
  while (done < bytes.length) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, start + done);
    if (bytesRead === 0) throw new Error('the write-ahead log ended early');
    done += bytesRead;
  }
  return bytes;
}
