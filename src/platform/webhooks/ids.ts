import { defineIds } from '#kernel/ids.ts';

/** Id prefixes of webhooks and of what is sent to them (D25). */
export const ids = defineIds({ webhook: 'whk', delivery: 'dlv' });
