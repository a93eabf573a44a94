export type Channel = 'stable' | 'rc' | 'beta' | 'alpha' | 'nightly';

/** Each channel takes the releases of those before it too, so that a user of betas gets the final release (D86). */
export const CHANNELS: readonly Channel[] = ['stable', 'rc', 'beta', 'alpha', 'nightly'];

export const isChannel = (text: unknown): text is Channel => CHANNELS.includes(text as Channel);

/** Whether whoever asks for channel `asked` may be offered a release of channel `released`. */
export const takesChannel = (asked: Channel, released: string): boolean =>
  isChannel(released) && CHANNELS.indexOf(released) <= CHANNELS.indexOf(asked);
