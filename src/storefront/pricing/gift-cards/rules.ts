import type { GiftCard } from './record.ts';

type Money = Pick<GiftCard, 'balanceCents' | 'heldCents'>;
type Term = Pick<GiftCard, 'status' | 'expiresAt'>;

/** What no order holds. */
export const freeCents = ({ balanceCents, heldCents }: Money): number => balanceCents - heldCents;

/** Whether its time is over, also before the job has said so. @param now ISO time */
export const isOver = ({ status, expiresAt }: Term, now: string): boolean =>
  status === 'expired' || (expiresAt !== null && expiresAt <= now);

/** Whether an order may pay with it; how much of it is free is another question. @param now ISO time */
export const usable = (card: Term, now: string): boolean => card.status === 'active' && !isOver(card, now);

/** As shoppers are told: a card whose time is over is expired before the job has come by. @param now ISO time */
export const shownStatus = (card: Term, now: string): GiftCard['status'] =>
  card.status === 'active' && isOver(card, now) ? 'expired' : card.status;

/** What a card is with this balance, where money came or went. */
export const statusWith = (balanceCents: number): 'active' | 'redeemed' =>
  balanceCents === 0 ? 'redeemed' : 'active';

type Whole = Money & Pick<GiftCard, 'initialCents' | 'status'>;

/** Nothing of it was spent, and no order holds any of it: its purchase can be given back. */
export const isUnused = ({ status, balanceCents, initialCents, heldCents }: Whole): boolean =>
  (status === 'pending' || status === 'active' || status === 'disabled') &&
  balanceCents === initialCents &&
  heldCents === 0;

/** Its purchase was given back. */
export const isWithdrawn = ({ status, balanceCents }: Pick<Whole, 'status' | 'balanceCents'>): boolean =>
  status === 'disabled' && balanceCents === 0;
