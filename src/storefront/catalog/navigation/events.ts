import { change, defineEvents } from '#kernel/events.ts';
import type { MenuKey } from './record.ts';

/** What happens to the menus of the shop. */
export const navigationEvents = defineEvents(
  'store',
  { 'navigation.updated': change<Record<MenuKey, number>>() },
  { target: 'shop-navigation' },
);
