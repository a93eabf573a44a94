export { LOGIN as customerSignInPath } from './paths.ts';
