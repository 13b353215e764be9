/** Version of the routes and their bodies. It changes where a program written for the one before would break. */
export const API_VERSION = '1';

/** Header of every answer that holds it. */
export const API_VERSION_HEADER = 'x-ragstone-api';
