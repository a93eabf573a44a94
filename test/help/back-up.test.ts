import { testPage } from './run-page.ts';

testPage('back-up');
