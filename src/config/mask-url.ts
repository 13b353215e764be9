export { maskUrlCredentials } from '../core/mask-url.js';
