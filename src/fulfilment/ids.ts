import { defineIds } from '#kernel/ids.ts';

/** Id prefixes of what joins the two services (storefront-domain 2). */
export const ids = defineIds({ licenseMint: 'lmt' });
