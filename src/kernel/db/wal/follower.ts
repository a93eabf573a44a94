import { type FileHandle, open } from 'node:fs/promises';
import Driver, { type Database as Connection } from 'better-sqlite3';
import { sleep } from '../../clock.ts';
import { isBusy } from '../dialect.ts';
import { checksumOf, FRAME_HEAD_BYTES, frameBytes, isEqual, type WalHead } from './format.ts';
import { beginningOf, lastCommit, readHead, type WalPosition } from './scan.ts';

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
const LOCK_TRIES = 20;
const LOCK_PAUSE_MS = 2;

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
   * Looks for commits. What it tells of stays in the log until `taken`.
   *
   * @returns null when there are none
   */
  async look(): Promise<WalNews | null> {
    const next = this.#reading === 0 ? 1 : 0;
    beginReading(this.#readers[next]);
    try {
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

  /** The news could not be kept: `look` will tell of them again. */
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
      const [done] = this.#copier.pragma('wal_checkpoint(PASSIVE)') as {
        log: number;
        checkpointed: number;
      }[];
      beginReading(reader);
      const isTaken = done !== undefined && done.log === done.checkpointed;
      if (isTaken) this.#renewedAt = this.#position?.offset ?? 0;
      return isTaken;
    } finally {
      this.#writer.exec('ROLLBACK');
    }
  }

  /**
   * Ends with the last commit: what comes after that is in the log still, or nobody has the database open any more.
   *
   * @param keep of what was committed since the last look
   * @returns false when somebody kept writing: commits may follow that nobody took
   */
  async finish(keep: (news: WalNews) => Promise<void>): Promise<boolean> {
    const isAlone = await beginWriting(this.#writer);
    try {
      const news = isAlone ? await this.#newsAfter(this.#position) : null;
      if (news !== null) {
        await keep(news);
        this.#position = news.to;
      }
    } finally {
      // No pause between the two: another process must not commit and close in it.
      if (isAlone) this.#writer.exec('ROLLBACK');
      this.#disconnect();
    }
    await this.#file?.close();
    this.#file = null;
    return isAlone;
  }

  #disconnect(): void {
    for (const connection of [...this.#readers, this.#writer, this.#copier]) connection.close();
  }

  async close(): Promise<void> {
    this.#disconnect();
    await this.#file?.close();
    this.#file = null;
  }

  #turnTo(next: 0 | 1): void {
    endReading(this.#readers[this.#reading]);
    this.#reading = next;
  }

  async #newsAfter(position: WalPosition | null): Promise<WalNews | null> {
    const file = await this.#opened();
    const found = file && (await readHead(file));
    if (file === null || found === null) return null;
    const { head, bytes } = found;
    const from = position?.salts === head.salts ? position : beginningOf(head);
    const to = await lastCommit(file, head, from);
    if (to.offset === from.offset) return null;
    return { head: bytes, from, to, read: (start, end) => readExactly(file, start, end) };
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

/** SQLite takes the state with the first read. */
function beginReading(connection: Connection): void {
  connection.exec('BEGIN');
  connection.prepare('SELECT count(*) FROM sqlite_master').get();
}

function endReading(connection: Connection): void {
  if (connection.inTransaction) connection.exec('ROLLBACK');
}

/** Waits a moment for a command beside this server, but not longer than a commit may. */
async function beginWriting(connection: Connection): Promise<boolean> {
  for (let tries = 0; tries < LOCK_TRIES; tries += 1) {
    try {
      connection.exec('BEGIN IMMEDIATE');
      return true;
    } catch (error) {
      if (!isBusy(error)) throw error;
      await sleep(LOCK_PAUSE_MS);
    }
  }
  return false;
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
