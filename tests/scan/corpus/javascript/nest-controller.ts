// benign: decorators
import { Controller, Get, Param, Injectable } from '@nestjs/common';

@Injectable()
export class CatsService {
  private readonly cats: string[] = ['Tom'];
  findAll(): string[] { return this.cats; }
}

@Controller('cats')
export class CatsController {
  constructor(private readonly service: CatsService) {}
  @Get(':id')
  one(@Param('id') id: string): string { return this.service.findAll()[Number(id)] ?? 'none'; }
}
