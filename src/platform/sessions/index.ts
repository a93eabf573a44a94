export { sessionKeeper } from './keeper.ts';
