import type { LocalPart } from '#kernel/capability.ts';
import { endingLocal, mintingLocal } from './minting/local.ts';
import { shopperLicensesLocal } from './shopper/local.ts';

/** What every process knows of what joins the services, whether it serves or runs one command. */
export const fulfilmentLocal: readonly LocalPart[] = [mintingLocal, endingLocal, shopperLicensesLocal];
