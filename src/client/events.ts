import type { ClientEvents } from './types.ts';

export interface Events {
  on<E extends keyof ClientEvents>(event: E, listener: (value: ClientEvents[E]) => void): () => void;
  emit<E extends keyof ClientEvents>(event: E, value: ClientEvents[E]): void;
}

/** A listener that throws disturbs neither the client nor the other listeners: it is told on `background-error`. */
export function createEvents(): Events {
  const listeners = new Map<string, Set<(value: never) => void>>();
  const emit: Events['emit'] = (event, value) => {
    for (const listener of [...(listeners.get(event) ?? [])]) {
      try {
        listener(value as never);
      } catch (error) {
        // A listener of errors that throws has nobody left to be told to.
        if (event !== 'background-error') emit('background-error', error as Error);
      }
    }
  };
  return {
    emit,
    on(event, listener) {
      const known = listeners.get(event) ?? new Set();
      listeners.set(event, known.add(listener));
      return () => void known.delete(listener);
    },
  };
}
