import type { Level, StockState } from './record.ts';

/** Units that can be sold; below 0 where more was sold on backorder. */
export const availableOf = ({ onHand, reserved }: Pick<Level, 'onHand' | 'reserved'>): number =>
  onHand - reserved;

/** At or below so many a variant is low. @param standing the threshold of the settings */
export const thresholdOf = (
  { lowStockThreshold }: Pick<Level, 'lowStockThreshold'>,
  standing: number,
): number => lowStockThreshold ?? standing;

type Rules = Pick<Level, 'onHand' | 'reserved' | 'trackInventory' | 'allowBackorder' | 'lowStockThreshold'>;

/** How a shopper finds a variant. @param standing the threshold of the settings */
export function stateOf(level: Rules, standing: number): StockState {
  const available = availableOf(level);
  if (!level.trackInventory || available > thresholdOf(level, standing)) return 'in';
  if (available > 0) return 'low';
  return level.allowBackorder ? 'backorder' : 'out';
}

/** Whether it fell to its threshold: what is told once, until it has risen above it again (storefront-domain 8). */
export const hasFallen = (before: Pick<Level, 'state' | 'trackInventory'>, after: Level): boolean =>
  before.trackInventory && before.state === 'in' && after.state !== 'in';
