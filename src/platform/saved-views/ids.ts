import { defineIds } from '#kernel/ids.ts';

export const ids = defineIds({ view: 'viw' });
