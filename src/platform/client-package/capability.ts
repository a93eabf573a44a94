import { capability } from '#kernel/capability.ts';
import { clientPages } from './pages.ts';

/** The client SDK, which applications install from the server that they will speak with. */
export const clientPackage = capability({ name: 'client-package', pages: clientPages });
