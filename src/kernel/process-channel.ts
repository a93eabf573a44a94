/** What one process does for another: each order has one input and may be answered. */
export type Orders = Record<string, (input: never) => unknown>;

type InputOf<T extends Orders, K extends keyof T> = Parameters<T[K]>[0];
type AnswerOf<T extends Orders, K extends keyof T> = Awaited<ReturnType<T[K]>>;

type Message =
  | { readonly name: string; readonly id?: number; readonly input: unknown }
  | { readonly answered: number; readonly value: unknown }
  | { readonly refused: number; readonly message: string; readonly code: string | undefined };

/** One end of the pipe between a process and its child: `ChildProcess` in the one, `process` in the other. */
interface End {
  readonly connected: boolean;
  send?(message: unknown, done: (error: Error | null) => void): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
}

/** Each says what came within one turn of the event loop, at most some hundred lines of a log. */
const MOST_ON_THEIR_WAY = 200;

interface Asked {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * Orders and answers between two processes of this program, in both directions. All that is said in one turn of the
 * event loop travels together: a message of its own for each would cost more than most of what is asked.
 */
export class ProcessChannel<Theirs extends Orders> {
  readonly #end: End;
  #ours: Orders = {};
  #onFailure: (name: string, error: unknown) => void = () => undefined;
  readonly #asked = new Map<number, Asked>();
  #waiting: Message[] = [];
  #onTheirWay = 0;
  #lastId = 0;

  constructor(end: End) {
    this.#end = end;
    end.on('message', (messages) => {
      for (const message of messages as readonly Message[]) this.#receive(message);
    });
    end.on('disconnect', () => {
      for (const { reject } of this.#asked.values()) reject(gone());
      this.#asked.clear();
    });
  }

  /**
   * @param ours what the other process may order from now on; what throws is told to it, where it waits for an answer
   * @param onFailure told of the other orders that threw
   */
  obeys(ours: Orders, onFailure: (name: string, error: unknown) => void): void {
    this.#ours = ours;
    this.#onFailure = onFailure;
  }

  /** Whether the other process has yet to take what was said before this turn of the event loop. */
  get isBehind(): boolean {
    return this.#onTheirWay > 0;
  }

  /** Whether it has taken nothing for long: what can be lost is not said to it then. */
  get isStuck(): boolean {
    return this.#onTheirWay > MOST_ON_THEIR_WAY;
  }

  /**
   * @param patienceMs after which an answer is waited for no longer; for ever when left out
   * @throws Error with the message and the code of what the other process threw, or when it does not answer
   */
  ask<K extends keyof Theirs & string>(
    name: K,
    input: InputOf<Theirs, K>,
    patienceMs?: number,
  ): Promise<AnswerOf<Theirs, K>> {
    if (!this.#end.connected) return Promise.reject(gone());
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const id = ++this.#lastId;
    this.#asked.set(id, { resolve, reject });
    this.#say({ name, id, input });
    if (patienceMs !== undefined) {
      const timer = setTimeout(() => {
        this.#asked.delete(id);
        reject(new Error(`the other process does not answer (${name})`));
      }, patienceMs);
      promise.finally(() => clearTimeout(timer)).catch(() => undefined);
    }
    return promise as Promise<AnswerOf<Theirs, K>>;
  }

  /** Orders without waiting for what comes of it. */
  tell<K extends keyof Theirs & string>(name: K, input: InputOf<Theirs, K>): void {
    this.#say({ name, input });
  }

  /** Sends what was said in this turn of the event loop. @returns resolves when it is on its way */
  flush(): Promise<void> {
    const messages = this.#waiting;
    this.#waiting = [];
    // Whoever waits for an answer hears of the end by `disconnect`.
    if (messages.length === 0 || !this.#end.connected) return Promise.resolve();
    this.#onTheirWay += 1;
    return new Promise((resolve) => {
      this.#end.send?.(messages, () => {
        this.#onTheirWay -= 1;
        resolve();
      });
    });
  }

  #say(message: Message): void {
    if (this.#waiting.length === 0) setImmediate(() => void this.flush());
    this.#waiting.push(message);
  }

  #receive(message: Message): void {
    if ('name' in message) return void this.#obey(message.name, message.input, message.id);
    const id = 'answered' in message ? message.answered : message.refused;
    const asked = this.#asked.get(id);
    this.#asked.delete(id);
    if ('answered' in message) asked?.resolve(message.value);
    else asked?.reject(Object.assign(new Error(message.message), { code: message.code }));
  }

  async #obey(name: string, input: unknown, id: number | undefined): Promise<void> {
    try {
      const order = this.#ours[name];
      if (order === undefined) throw new Error(`this process knows no order "${name}"`);
      const value = await order(input as never);
      if (id !== undefined) this.#say({ answered: id, value });
    } catch (error) {
      const { message, code } = error as Error & { code?: string };
      if (id === undefined) this.#onFailure(name, error);
      else this.#say({ refused: id, message, code });
    }
  }
}

const gone = (): Error => new Error('the other process has ended');
