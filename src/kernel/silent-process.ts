export interface SilenceOptions {
  /** Asks the other process for a sign of life. */
  ask(): Promise<unknown>;
  readonly everyMs: number;
  /** How many times in a row the answer may be missing. */
  readonly looks: number;
  /** It is silent; told again each time as many answers are missing as before. */
  onSilent(): void;
  onAnswer?(): void;
}

/**
 * Watches whether the event loop of another process moves. It counts its own looks and not the time: after this process or
 * the whole machine stood still, the answer is there already and was only not read yet, however much time has passed.
 *
 * @returns ends the watch
 */
export function watchProcess({ ask, everyMs, looks, onSilent, onAnswer }: SilenceOptions): () => void {
  let missing = 0;
  let isAsked = false;
  const look = (): void => {
    if (isAsked) {
      missing += 1;
      if (missing % looks === 0) onSilent();
      return;
    }
    isAsked = true;
    ask().then(
      () => {
        isAsked = false;
        missing = 0;
        onAnswer?.();
      },
      // It has ended, which is another matter.
      () => undefined,
    );
  };
  const timer = setInterval(look, everyMs).unref();
  return () => clearInterval(timer);
}
