# One image for all roles: `docker run IMAGE api`, `actors`, `market`, `jobs`; several names, or none for all in one process.
FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm install --no-save --include=dev
COPY tsconfig.json tsconfig.build.json ./
COPY tools/start tools/start
COPY src src
RUN npm run build && npm prune --omit=dev

FROM node:20-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
USER node
EXPOSE 3000
ENTRYPOINT ["node", "--enable-source-maps", "dist/main.js"]
