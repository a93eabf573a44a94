import type { Ctx } from './context.ts';
import { memoryKey } from './process-memory.ts';

/** The processes that serve together with this one, for what each of them must know at once. */
class OtherProcesses {
  readonly #listeners = new Map<string, (news: never) => void>();
  #send: (name: string, news: unknown) => void = () => undefined;

  /** @param send tells all others; without it a process is alone */
  connect(send: (name: string, news: unknown) => void): void {
    this.#send = send;
  }

  /** @param news anything that can be cloned */
  tell(name: string, news: unknown): void {
    this.#send(name, news);
  }

  hear(name: string, news: unknown): void {
    this.#listeners.get(name)?.(news as never);
  }

  on<T>(name: string, listener: (news: T) => void): void {
    this.#listeners.set(name, listener);
  }
}

const others = memoryKey('other processes', () => new OtherProcesses());

/** Those of the process of a ctx. */
export const othersOf = ({ memory }: Pick<Ctx, 'memory'>): OtherProcesses => memory.of(others);
